import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { append, call, chat, frame, message, provider, put, remove, run, settings, totals } from "../../testRecords";
import type { NodeId, WireRecord } from "../../wire/generated";
import { ChatView } from "./ChatView";

const n1 = "n1" as NodeId;

function setUp(...records: readonly WireRecord[]) {
  const client = setUpClient([chat(), settings(), provider({ isDefault: true, model: "gpt-5" }), ...records]);
  render(<ChatView node={n1} />, { wrapper: client.Wrapper });
  return client;
}

const part = (id: string) => screen.getByTestId(id);
const roles = () => screen.queryAllByTestId(TEST_IDS.message).map((element) => element.dataset.role);
const user = message({ id: "m1", role: "user", content: "Hi", index: 0, turn: "t1" });
const reply = (fields: Parameters<typeof message>[0] = {}) =>
  message({ id: "m2", role: "assistant", content: "Hello", index: 1, turn: "t1", ...fields });

describe("ChatView", () => {
  it("[U1] shows title, model, status, tokens, cost and context", () => {
    setUp(
      chat({ title: "Plan", data: { kind: "chat", model: "openai/gpt-5" } }),
      totals({ inputTokens: 1200, outputTokens: 300, label: "$0.0123", contextTokens: 640, contextLimit: 1000 }),
    );
    expect(part(TEST_IDS.chatTitle).textContent).toBe("Plan");
    expect(part(TEST_IDS.modelPicker).textContent).toContain("gpt-5");
    expect(part(TEST_IDS.status).textContent).toBe("Ready");
    expect(part(TEST_IDS.tokens).textContent).toBe("1.5k tokens");
    expect(part(TEST_IDS.cost).textContent).toBe("$0.0123");
    expect(part(TEST_IDS.contextMeter).getAttribute("aria-valuenow")).toBe("640");
  });

  it("[U1] says when there are no figures by showing none, and n/a where the server says so", () => {
    const { apply } = setUp();
    expect(screen.queryByTestId(TEST_IDS.cost)).toBeNull();
    apply(frame(1, put(totals({ label: "n/a" }))));
    expect(part(TEST_IDS.cost).textContent).toBe("n/a");
  });

  it("[W6] grows a reply as it comes, and lists nothing anew", () => {
    const { apply } = setUp(user, reply({ content: "He" }), run());
    const before = screen.getAllByTestId(TEST_IDS.message)[0];
    apply(frame(1, append("m2", "llo")));
    expect(roles()).toEqual(["user", "assistant"]);
    expect(screen.getAllByTestId(TEST_IDS.messageContent).map((element) => element.textContent)).toEqual([
      "Hi",
      "Hello",
    ]);
    expect(screen.getAllByTestId(TEST_IDS.message)[0]).toBe(before);
  });

  it("[W4] drops and brings back messages on undo and redo", () => {
    const { apply } = setUp(user, reply());
    apply(frame(1, remove("m1"), remove("m2")));
    expect(roles()).toEqual([]);
    apply(frame(2, put(user), put(reply())));
    expect(roles()).toEqual(["user", "assistant"]);
  });

  it("[U1] folds thinking until it is asked for", async () => {
    setUp(user, reply({ thinking: "They greet me." }));
    expect(screen.queryByText("They greet me.")).toBeNull();
    await userEvent.click(within(part(TEST_IDS.thinking)).getByRole("button"));
    expect(screen.getByText("They greet me.")).toBeDefined();
  });

  it("[T5] asks for a decision with the exact arguments and sends it once", async () => {
    const { sent } = setUp(
      user,
      reply({ content: "" }),
      call({ messageId: "m2", name: "run_command", argsJson: '{"command":"ls -la"}' }),
      run({ phase: "awaiting" }),
    );
    expect(part(TEST_IDS.toolCard).textContent).toContain("ls -la");
    expect(part(TEST_IDS.status).textContent).toBe("Needs you");
    await userEvent.dblClick(part(TEST_IDS.approve));
    expect(sent()).toEqual([{ do: "decideCall", node: n1, call: "c1", decision: "approve" }]);
  });

  it("[T5] denies with a reason", async () => {
    const { sent } = setUp(user, reply(), call({ messageId: "m2" }));
    await userEvent.click(screen.getByText("Deny with a reason"));
    await userEvent.keyboard("too risky{Enter}");
    expect(sent()).toEqual([{ do: "decideCall", node: n1, call: "c1", decision: "deny", reason: "too risky" }]);
  });

  it("[T6] approves edited arguments exactly as they were edited", async () => {
    const { sent } = setUp(user, reply(), call({ messageId: "m2", argsJson: '{"path":"a"}' }));
    await userEvent.click(screen.getByText("Edit"));
    const editor = screen.getByLabelText("Arguments as JSON");
    await userEvent.clear(editor);
    await userEvent.type(editor, '{{"path":"b"}');
    await userEvent.click(part(TEST_IDS.approve));
    expect(sent()).toEqual([{ do: "decideCall", node: n1, call: "c1", decision: "approve", argsJson: '{"path":"b"}' }]);
  });

  const card = {
    digest: "d1",
    fields: [{ name: "path", text: "notes.md", sizeBytes: 8 }],
    diff: "@@ -1 +1 @@\n-old\n+new",
    added: 1,
    removed: 1,
    ready: true,
    offers: [{ kind: "path", pattern: "notes.md", words: "notes.md" }],
  } as const;

  it("[T6] shows the card the server made, and decides on exactly that one", async () => {
    const { sent } = setUp(user, reply(), call({ messageId: "m2", name: "edit_file", card }));
    expect(screen.getByText("+new").className).toContain("plus");
    expect(screen.getByText("-old").className).toContain("minus");
    expect(screen.getByText("notes.md")).toBeDefined();
    part(TEST_IDS.toolCard).focus();
    await userEvent.keyboard("a");
    expect(sent()).toEqual([{ do: "decideCall", node: n1, call: "c1", decision: "approve", digest: "d1" }]);
  });

  it("[T6] shows the exact command, where it runs, and what deserves attention", () => {
    const loud = "deletes files without a way back";
    setUp(user, reply(), call({ messageId: "m2", card: { digest: "d", command: "rm -rf x", folder: "src", loud } }));
    for (const words of ["rm -rf x", "src", loud]) expect(screen.getByText(words)).toBeDefined();
  });

  it("[T7] remembers a decision for what was chosen", async () => {
    const { sent } = setUp(user, reply(), call({ messageId: "m2", card }));
    await userEvent.selectOptions(part(TEST_IDS.remember), "In this project: notes.md");
    await userEvent.click(part(TEST_IDS.deny)); // first it shows what "never" would mean
    await userEvent.click(part(TEST_IDS.deny));
    const remember = { scope: "project", kind: "path", pattern: "notes.md" };
    expect(sent()).toEqual([{ do: "decideCall", node: n1, call: "c1", decision: "deny", digest: "d1", remember }]);
  });

  it("[U8] decides by keyboard, card by card", async () => {
    const first = call({ messageId: "m2", name: "write_file" });
    const second = call({ id: "c2", messageId: "m2", index: 1, name: "run_command" });
    const { sent, apply, acknowledge } = setUp(user, reply(), first, second);
    const cards = screen.getAllByTestId(TEST_IDS.toolCard);
    cards[0]?.focus();
    await userEvent.keyboard("{ArrowDown}");
    expect(document.activeElement).toBe(cards[1]);
    await userEvent.keyboard("dnot now{Escape}");
    expect(document.activeElement).toBe(cards[1]);
    await userEvent.keyboard("{ArrowUp}a");
    expect(sent()).toEqual([{ do: "decideCall", node: n1, call: "c1", decision: "approve" }]);
    apply(frame(1, put({ ...first, status: "running" })));
    acknowledge();
    await waitFor(() => expect(document.activeElement).toBe(cards[1]));
    await userEvent.keyboard("{Enter}d");
    await userEvent.keyboard("{Enter}");
    expect(sent()[1]).toMatchObject({ call: "c2", decision: "deny" });
  });

  it("[T8] shows what a running tool says", () => {
    setUp(user, reply(), call({ messageId: "m2", status: "running", output: "3 of 7 done" }));
    expect(screen.getByText("3 of 7 done")).toBeDefined();
  });

  it("[T8] shows how a call ended, and its result on demand", async () => {
    setUp(user, reply(), call({ messageId: "m2", status: "error", isError: true, result: "no such file" }));
    expect(part(TEST_IDS.toolCard).dataset.status).toBe("error");
    expect(screen.queryByText("no such file")).toBeNull();
    await userEvent.click(within(part(TEST_IDS.toolCard)).getByRole("button"));
    expect(screen.getByText("no such file")).toBeDefined();
  });

  it("[R11] marks a stopped reply", () => {
    setUp(user, reply({ stopped: true }));
    expect(screen.getAllByText("Stopped").length).toBeGreaterThan(0);
  });

  it("[D4] marks a reply that was cut off, keeps its text and offers Retry", async () => {
    const { sent } = setUp(user, reply({ finish: "cut" }));
    expect(part(TEST_IDS.status).textContent).toBe("Cut off");
    expect(screen.getByText("Hello")).toBeDefined();
    await userEvent.click(part(TEST_IDS.retry));
    expect(sent()).toEqual([{ do: "retryTurn", node: n1 }]);
  });

  it("[W8] offers to continue what was interrupted", async () => {
    const { sent } = setUp(user, reply({ error: { code: "interrupted", message: "Talkfield ended." } }));
    await userEvent.click(screen.getByText("Continue"));
    expect(sent()).toEqual([{ do: "continueTurn", node: n1 }]);
  });

  it("[L1] offers no Retry for what a link added, and keeps that of the reply before it", () => {
    const added = message({ id: "m3", role: "user", content: "Context", index: 2, source: { node: "n2" as NodeId } });
    const { apply } = setUp(user, reply({ finish: "stop" }), added);
    expect(screen.queryByTestId(TEST_IDS.retry)).toBeNull();
    apply(frame(1, put(reply({ finish: "cut" }))));
    expect(part(TEST_IDS.retry)).toBeDefined();
  });

  it("[W13] shows an error in its own words with what to do, and no Retry while a reply runs", () => {
    const failed = reply({ error: { code: "refused", message: "OpenAI answered 401.", hint: "Check the key." } });
    const { apply } = setUp(user, failed);
    expect(screen.getByText("Check the key.")).toBeDefined();
    expect(part(TEST_IDS.retry)).toBeDefined();
    apply(frame(1, put(run())));
    expect(screen.queryByTestId(TEST_IDS.retry)).toBeNull();
  });

  it("[T2] goes on after the limit of calls with one click", async () => {
    const note = message({ id: "m3", role: "note", content: "Stopped after 10 calls.", index: 2, turn: "t1" });
    const { sent } = setUp(user, reply(), note);
    await userEvent.click(screen.getByText("Continue"));
    expect(sent()).toEqual([{ do: "continueTurn", node: n1 }]);
  });

  it("[C4] shows notes as notes, without anything to continue after a command's", () => {
    setUp(user, reply(), message({ id: "m3", role: "note", content: "Model: gpt-5", index: 2 }));
    expect(roles()).toEqual(["user", "assistant", "note"]);
    expect(screen.queryByText("Continue")).toBeNull();
  });

  it("[L2] says where injected context comes from", () => {
    const source = { node: "n2" as NodeId };
    setUp(chat({ id: "n2", title: "Sources" }), message({ id: "m1", content: "facts", source }));
    expect(screen.getByText("Context from Sources")).toBeDefined();
  });

  it("[M4] draws the messages of one turn as one reply", () => {
    setUp(
      user,
      reply({ model: "gpt-5", content: "First I look." }),
      reply({ id: "m3", index: 2, model: "gpt-5", content: "Then I tell." }),
    );
    const feet = screen.getAllByTitle("gpt-5", { exact: true });
    expect(feet).toHaveLength(1);
  });

  it("[U11] shows the files of a message that is edited, and sends it with them alone", async () => {
    const plan = { id: "a1", name: "plan.txt", mediaType: "text/plain", sizeBytes: 12, digest: "ab".repeat(32) };
    const { sent } = setUp({ ...user, attachments: [plan] } as WireRecord);
    await userEvent.click(part(TEST_IDS.editMessage));
    const editor = within(part(TEST_IDS.messageEditor));
    expect(editor.getByTestId(TEST_IDS.file).textContent).toContain("plan.txt");
    await userEvent.clear(editor.getByRole("textbox"));
    await userEvent.keyboard("{Enter}");
    expect(sent()).toEqual([{ do: "editMessage", message: "m1", text: "" }]);
  });

  it("[W13] sends an edited message in place of the one that was said, and keeps the text when it is refused", async () => {
    const { sent, refuse } = setUp(user, reply());
    await userEvent.click(part(TEST_IDS.editMessage));
    const editor = within(part(TEST_IDS.messageEditor)).getByRole("textbox");
    expect(document.activeElement).toBe(editor);
    await userEvent.keyboard(" there{Enter}");
    expect(sent()).toEqual([{ do: "editMessage", message: "m1", text: "Hi there" }]);
    refuse("A reply is running.", "Stop it first.");
    const words = await within(part(TEST_IDS.messageEditor)).findByRole("alert");
    expect(words.textContent).toBe("A reply is running. Stop it first.");
    expect(editor).toHaveProperty("value", "Hi there");
  });

  it("[W13] leaves a message as it was on Escape, with the focus on the transcript", async () => {
    const { sent } = setUp(user, reply());
    await userEvent.click(part(TEST_IDS.editMessage));
    await userEvent.keyboard(" there{Escape}");
    expect(screen.queryByTestId(TEST_IDS.messageEditor)).toBeNull();
    expect(screen.getByText("Hi")).toBeDefined();
    expect(document.activeElement).toBe(screen.getByLabelText("Conversation"));
    expect(sent()).toEqual([]);
  });

  it("[U10] keeps what was typed into a message while its node is not drawn", async () => {
    const client = setUpClient([chat(), settings(), user, reply()]);
    const { unmount } = render(<ChatView node={n1} />, { wrapper: client.Wrapper });
    await userEvent.click(part(TEST_IDS.editMessage));
    await userEvent.keyboard(" there");
    unmount();
    render(<ChatView node={n1} />, { wrapper: client.Wrapper });
    expect(within(part(TEST_IDS.messageEditor)).getByRole("textbox")).toHaveProperty("value", "Hi there");
  });

  it("[W13] asks for another reply, but not while one runs", async () => {
    const { sent, apply } = setUp(user, reply());
    await userEvent.click(part(TEST_IDS.regenerate));
    expect(sent()).toEqual([{ do: "regenerateReply", message: "m2" }]);
    apply(frame(1, put(reply({ finish: "stop" })), put(run())));
    expect(part(TEST_IDS.regenerate)).toHaveProperty("disabled", true);
    expect(part(TEST_IDS.editMessage)).toHaveProperty("disabled", true);
  });

  it("[W14] deletes one message, whoever said it", async () => {
    const { sent } = setUp(user, reply());
    for (const button of screen.getAllByTestId(TEST_IDS.deleteMessage)) await userEvent.click(button);
    expect(sent()).toEqual([
      { do: "removeMessage", message: "m1" },
      { do: "removeMessage", message: "m2" },
    ]);
  });

  it("renames on a double click", async () => {
    const { sent } = setUp();
    await userEvent.dblClick(part(TEST_IDS.chatTitle));
    await userEvent.keyboard("Plan{Enter}");
    expect(sent()).toEqual([{ do: "renameNode", node: n1, title: "Plan" }]);
  });

  it("[U4] keeps keys and wheel in its body", () => {
    setUp(user, reply());
    const body = part(TEST_IDS.composer).closest(".nokey");
    expect(body).not.toBeNull();
    expect(screen.getByLabelText("Conversation").closest(".nowheel")).not.toBeNull();
    expect(part(TEST_IDS.composer).closest(".nodrag")).not.toBeNull();
  });

  it("says what stands in the way when nobody can answer", () => {
    const client = setUpClient([chat(), provider({ status: "missing", message: "Install the local model." })]);
    render(<ChatView node={n1} />, { wrapper: client.Wrapper });
    expect(screen.getByText(/No provider is set up yet/)).toBeDefined();
  });
});
