import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { chat, frame, put, rule, settings, toolServer } from "../../testRecords";
import { AuditSettings } from "./AuditSettings";
import { RuleSettings } from "./RuleSettings";
import { ToolSettings } from "./ToolSettings";

describe("ToolSettings", () => {
  it("[T10] lists servers with their tools, tests, turns off and removes them", async () => {
    const { Wrapper, sent, apply, acknowledge } = setUpClient([
      toolServer({ name: "prog", tools: ["prog__add", "prog__say"], readOnly: ["prog__say"], names: ["TOKEN"] }),
    ]);
    render(<ToolSettings />, { wrapper: Wrapper });
    const row = within(screen.getByTestId(TEST_IDS.toolServer));
    expect(row.getByText("Ready")).toBeDefined();
    expect(row.getByText("prog__add")).toBeDefined();
    expect(row.getByText("says that it only reads")).toBeDefined();
    for (const words of ["Test", "Turn off", "Remove", "Remove it"]) {
      await userEvent.click(row.getByText(words));
      if (words !== "Remove") acknowledge();
    }
    expect(sent()).toEqual([
      { do: "restartToolServer", name: "prog" },
      { do: "enableToolServer", name: "prog", enabled: false },
      { do: "removeToolServer", name: "prog" },
    ]);
    apply(frame(1, put(toolServer({ name: "prog", status: "failed", message: "it ended" }))));
    expect(row.getByText("it ended")).toBeDefined();
  });

  it("[T10] adds a server as it is typed, with values that never come back", async () => {
    const { Wrapper, sent } = setUpClient([]);
    render(<ToolSettings />, { wrapper: Wrapper });
    await userEvent.click(screen.getByText("Add server"));
    await userEvent.type(screen.getByLabelText("Name"), "prog");
    await userEvent.type(screen.getByLabelText("Command"), "uvx some-server");
    await userEvent.type(screen.getByLabelText("Environment"), "KEY");
    await userEvent.click(screen.getByText("Add and test"));
    expect(screen.getByRole("alert").textContent).toContain("Each line is a name");
    await userEvent.type(screen.getByLabelText("Environment"), "=x");
    await userEvent.click(screen.getByText("Add and test"));
    expect(sent()).toEqual([
      {
        do: "saveToolServer",
        name: "prog",
        commandLine: "uvx some-server",
        env: { KEY: "x" },
        headers: {},
        enabled: true,
      },
    ]);
  });

  it("[T10] keeps stored values of a server that is changed", async () => {
    const { Wrapper, sent } = setUpClient([
      toolServer({ name: "far", what: "https://x/mcp", names: ["Authorization"] }),
    ]);
    render(<ToolSettings />, { wrapper: Wrapper });
    await userEvent.click(screen.getByText("Edit"));
    await userEvent.type(screen.getByLabelText("Address"), "2");
    await userEvent.click(screen.getByText("Save and test"));
    expect(sent()).toEqual([
      { do: "saveToolServer", name: "far", url: "https://x/mcp2", enabled: true, replaces: "far" },
    ]);
  });

  it("[T3] turns on tools of installed packages only by name", async () => {
    const { Wrapper, sent } = setUpClient([
      settings({ pythonTools: ["other"] }),
      toolServer({ name: "warehouse", origin: "python", status: "off", what: "my_package.tools:stock" }),
    ]);
    render(<ToolSettings />, { wrapper: Wrapper });
    await userEvent.click(screen.getByText("Turn on"));
    expect(sent()).toEqual([{ do: "changeSettings", pythonTools: ["other", "warehouse"] }]);
  });

  it("[U10] keeps one package that is on its way when another is turned on", async () => {
    const of = (name: string) => toolServer({ name, origin: "python", status: "off", what: `${name}:tools` });
    const { Wrapper, sent } = setUpClient([settings({}), of("one"), of("two")]);
    render(<ToolSettings />, { wrapper: Wrapper });
    const [one, two] = screen.getAllByText("Turn on");
    await userEvent.click(one as HTMLElement);
    await userEvent.click(two as HTMLElement);
    expect(sent().at(-1)).toEqual({ do: "changeSettings", pythonTools: ["one", "two"] });
  });
});

describe("RuleSettings", () => {
  const TRIAL = { words: "Never let write_file run in this project: files that fit docs/**.", matched: 0, calls: [] };

  it("[T7] lists rules with where they count, and takes them back", async () => {
    const { Wrapper, sent } = setUpClient([
      chat({ title: "Plan" }),
      rule({ nodeId: "n1" }),
      rule({ id: "r2", action: "deny", tool: "run_command", kind: "command", pattern: "rm *", createdAt: 5 }),
    ]);
    render(<RuleSettings />, { wrapper: Wrapper });
    const texts = screen.getAllByTestId(TEST_IDS.rule).map((row) => row.textContent);
    expect(texts[0]).toContain("Neverrun_commandcommand: rm *In the whole project");
    expect(texts[1]).toContain("Allowwrite_filefiles: docs/**In the chat “Plan”");
    await userEvent.click(screen.getAllByTestId(TEST_IDS.ruleRemove)[0] as HTMLElement);
    expect(sent()).toEqual([{ do: "removeRule", rule: "r2" }]);
  });

  it("[T7] changes a rule, showing what it says before it is saved", async () => {
    const { Wrapper, sent } = setUpClient([rule()], {}, { "/api/projects/p1/rules/try": TRIAL });
    render(<RuleSettings />, { wrapper: Wrapper });
    await userEvent.click(screen.getByText("Edit"));
    await userEvent.selectOptions(screen.getByLabelText("Decision"), "Never");
    expect(await screen.findByText(TRIAL.words)).toBeDefined();
    await userEvent.click(screen.getByText("Save"));
    expect(sent()).toEqual([
      { do: "saveRule", action: "deny", tool: "write_file", kind: "path", pattern: "docs/**", rule: "r1" },
    ]);
  });
});

describe("RuleForm", () => {
  const EXACT = rule({ tool: "plot__measure", kind: "exact", pattern: '{"path":"beds/a","x":"\u202e"}' });
  const TRIAL = { words: "Let plot__measure run.", matched: 0, calls: [] };

  async function editing() {
    const { Wrapper, sent } = setUpClient([EXACT], {}, { "/api/projects/p1/rules/try": TRIAL });
    render(<RuleSettings />, { wrapper: Wrapper });
    expect(screen.getByTestId(TEST_IDS.rule).textContent).toContain("⟨U+202E⟩");
    await userEvent.click(screen.getByText("Edit"));
    return sent;
  }

  it("[T7] edits the exact arguments of a rule", async () => {
    const sent = await editing();
    const field = screen.getByLabelText<HTMLTextAreaElement>("Arguments");
    expect(field.value).toBe('{\n  "path": "beds/a",\n  "x": "\\u202e"\n}');
    await userEvent.clear(field);
    await userEvent.type(field, '{{"path":"beds/b"}');
    await userEvent.click(screen.getByText("Save"));
    const saved = { action: "allow", tool: "plot__measure", kind: "exact", pattern: '{"path":"beds/b"}', rule: "r1" };
    expect(sent()).toEqual([{ do: "saveRule", ...saved }]);
  });

  it("[T7] makes a pattern of exact arguments", async () => {
    const sent = await editing();
    await userEvent.selectOptions(screen.getByLabelText("About"), "files, by their path");
    await userEvent.type(screen.getByLabelText("Path"), "/**");
    await userEvent.click(screen.getByText("Save"));
    const saved = { action: "allow", tool: "plot__measure", kind: "path", pattern: "beds/a/**", rule: "r1" };
    expect(sent()).toEqual([{ do: "saveRule", ...saved }]);
  });
});

describe("AuditSettings", () => {
  const made = { node: "n1", tool: "write_file", decision: "person", at: 0, outcome: "done", durationMs: 1500 };
  const first = { ...made, call: "c1", arguments: '{"path":"a"}' };
  const second = { ...made, call: "c2", arguments: "{}", decision: "rule r1", outcome: "denied" };

  it("[T8] shows what ran and by whose word, page by page, and gives all of it away", async () => {
    const { Wrapper } = setUpClient(
      [chat({ title: "Plan" }), rule()],
      {},
      {
        "/api/projects/p1/audit/recent?": { calls: [first], next: 7 },
        "/api/projects/p1/audit/recent?before=7": { calls: [second] },
      },
    );
    render(<AuditSettings />, { wrapper: Wrapper });
    const [shown] = await screen.findAllByTestId(TEST_IDS.auditCall);
    expect(shown?.textContent).toContain('{"path":"a"}');
    expect(shown?.textContent).toContain("Byyou");
    expect(shown?.textContent).toContain("1.5 s");
    await userEvent.click(screen.getByText("Show earlier calls"));
    const rows = await screen.findAllByTestId(TEST_IDS.auditCall);
    expect(rows).toHaveLength(2);
    expect(rows[1]?.textContent).toContain("the rule “allow write_file: docs/**”");
    expect(screen.queryByText("Show earlier calls")).toBeNull();
    expect(screen.getByTestId(TEST_IDS.auditExport).getAttribute("href")).toBe("/api/projects/p1/audit?lines=1");
  });

  it("[T8] finds by outcome and words", async () => {
    const { Wrapper } = setUpClient(
      [],
      {},
      {
        "/api/projects/p1/audit/recent?": { calls: [first] },
        "/api/projects/p1/audit/recent?outcome=denied": { calls: [] },
        "/api/projects/p1/audit/recent?words=docs&outcome=denied": { calls: [second] },
      },
    );
    render(<AuditSettings />, { wrapper: Wrapper });
    await screen.findByTestId(TEST_IDS.auditCall);
    await userEvent.selectOptions(screen.getByLabelText("That"), "denied");
    expect(await screen.findByText("No call fits.")).toBeDefined();
    await userEvent.type(screen.getByLabelText("With these words"), "docs");
    expect(await screen.findByTestId(TEST_IDS.auditCall)).toBeDefined();
  });
});
