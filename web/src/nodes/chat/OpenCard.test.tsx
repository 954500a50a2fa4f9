import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { call, chat, frame, message, put, run } from "../../testRecords";
import type { ToolCallRecord } from "../../wire/generated";
import { OpenCard } from "./OpenCard";

const CARD = {
  digest: "d1",
  fields: [],
  offers: [{ kind: "path", pattern: "docs/**", words: "docs/**" }],
} as const;
const TRIAL = {
  words: "Let write_file run without asking in this chat: files that fit docs/**.",
  matched: 1,
  calls: [{ call: "c0", node: "n1", at: 0, status: "done", matched: true, summary: '{"path":"docs/a"}' }],
};

function setUp(asked: ToolCallRecord, ...records: Parameters<typeof setUpClient>[0]) {
  const client = setUpClient([chat(), message(), asked, ...records], {}, { "/api/projects/p1/rules/try": TRIAL });
  render(<OpenCard call={asked} />, { wrapper: client.Wrapper });
  return client;
}

describe("OpenCard", () => {
  it("[T6] lets nobody approve while it is worked out what the call would do", async () => {
    const { sent, apply } = setUp(call({ card: CARD }), run({ phase: "awaiting" }));
    expect(screen.getByText("Working out what it would do…")).toBeDefined();
    expect(screen.getByTestId<HTMLButtonElement>(TEST_IDS.approve).disabled).toBe(true);
    screen.getByTestId(TEST_IDS.toolCard).focus();
    await userEvent.keyboard("a");
    expect(sent()).toEqual([]);
    expect(screen.getByTestId<HTMLButtonElement>(TEST_IDS.deny).disabled).toBe(false);
    apply(frame(1, put(run({ phase: "awaiting" }))));
  });

  it("[T6] approves nothing that is folded: first all of it is shown, by pointer or by A", async () => {
    const diff = ["@@ -0,0 +1,60 @@", ...Array.from({ length: 60 }, (_, at) => `+line ${at}`)].join("\n");
    const { sent } = setUp(call({ card: { ...CARD, ready: true, diff, added: 60 } }));
    const approve = screen.getByTestId(TEST_IDS.approve);
    expect(screen.queryByText("+line 59")).toBeNull();
    expect(screen.getByTestId(TEST_IDS.showRest).textContent).toBe("Show 37 more lines");
    expect(approve.textContent).toBe("Show all of it");
    screen.getByTestId(TEST_IDS.toolCard).focus();
    await userEvent.keyboard("a");
    expect(sent()).toEqual([]);
    expect(screen.getByText("+line 59")).toBeDefined();
    expect(approve.textContent).toBe("Approve");
    await userEvent.keyboard("a");
    expect(sent()).toEqual([{ do: "decideCall", node: "n1", call: "c1", decision: "approve", digest: "d1" }]);
  });

  it("[T6] shows what the server's drawing leaves out before it can be approved, with nothing hidden in it", async () => {
    const field = { name: "text", text: "a ⟨9 lines are not shown here⟩ z", sizeBytes: 90, shortened: true };
    const asked = call({ argsJson: '{"text":"a \u202e z"}', card: { ...CARD, ready: true, fields: [field] } });
    setUp(asked);
    await userEvent.click(screen.getByTestId(TEST_IDS.showRest));
    expect(screen.getByText('{"text":"a \\u202e z"}')).toBeDefined();
    expect(screen.getByTestId(TEST_IDS.approve).textContent).toBe("Approve");
    expect(document.activeElement).toBe(screen.getByTestId(TEST_IDS.toolCard));
  });

  it("[T6] edits arguments in which nothing hides and no number is rounded", async () => {
    setUp(call({ argsJson: '{"a":"\u202e","b":12345678901234567890}', card: { ...CARD, ready: true } }));
    await userEvent.click(screen.getByTestId(TEST_IDS.editCall));
    expect(screen.getByLabelText<HTMLTextAreaElement>("Arguments as JSON").value).toBe(
      '{"a":"\\u202e","b":12345678901234567890}',
    );
  });

  it("[W8] waits for nothing where no process works anything out any more", () => {
    setUp(call({ card: CARD }));
    expect(screen.getByTestId<HTMLButtonElement>(TEST_IDS.approve).disabled).toBe(false);
  });

  it("[T7] shows a rule in words, and what it would have decided, before it is saved", async () => {
    const { sent } = setUp(call({ card: { ...CARD, ready: true } }));
    expect(screen.queryByTestId(TEST_IDS.ruleTrial)).toBeNull();
    await userEvent.selectOptions(screen.getByTestId(TEST_IDS.remember), "In this chat: docs/**");
    expect(await screen.findByText(TRIAL.words)).toBeDefined();
    expect(screen.getByText("It would have decided the one call on record.")).toBeDefined();
    expect(screen.getByTestId(TEST_IDS.approve).textContent).toBe("Approve and remember");
    await userEvent.click(screen.getByTestId(TEST_IDS.approve));
    const remember = { scope: "chat", kind: "path", pattern: "docs/**" };
    expect(sent()).toEqual([{ do: "decideCall", node: "n1", call: "c1", decision: "approve", digest: "d1", remember }]);
  });

  it("[T7] takes a pattern as it is written, and says when it would not answer for this call", async () => {
    const asked = call({ card: { ...CARD, ready: true } });
    const answers = { "/api/projects/p1/rules/try": { ...TRIAL, fits: false } };
    const { Wrapper, sent, refuse } = setUpClient([chat(), message(), asked], {}, answers);
    render(<OpenCard call={asked} />, { wrapper: Wrapper });
    await userEvent.selectOptions(screen.getByTestId(TEST_IDS.remember), "In this project: another path…");
    const pattern = screen.getByLabelText<HTMLInputElement>("Which, as a pattern");
    expect(pattern.value).toBe("docs/**");
    await userEvent.clear(pattern);
    await userEvent.type(pattern, "lib/*");
    expect(await screen.findByText(/would not answer for the call on this card/)).toBeDefined();
    await userEvent.click(screen.getByTestId(TEST_IDS.approve));
    const remember = { scope: "project", kind: "path", pattern: "lib/*" };
    expect(sent()).toEqual([{ do: "decideCall", node: "n1", call: "c1", decision: "approve", digest: "d1", remember }]);
    refuse("this rule would not have matched the call on the card");
    expect(await screen.findByRole("alert")).toBeDefined();
  });

  it("[T7] shows what 'never' would mean before it is saved", async () => {
    const { sent } = setUp(call({ card: { ...CARD, ready: true } }));
    await userEvent.selectOptions(screen.getByTestId(TEST_IDS.remember), "In this chat: docs/**");
    await userEvent.click(screen.getByTestId(TEST_IDS.deny));
    expect(sent()).toEqual([]);
    expect(screen.getByTestId(TEST_IDS.deny).textContent).toBe("Deny and remember");
    await userEvent.click(screen.getByTestId(TEST_IDS.deny));
    expect(sent()).toHaveLength(1);
  });
});
