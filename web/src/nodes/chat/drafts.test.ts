import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Mirror } from "../../mirror/mirror";
import { chat, frame, put, welcome } from "../../testRecords";
import { CommandError } from "../../wire/commands";
import type { Ack, Attachment, Command, NodeId } from "../../wire/generated";
import { Drafts, SAVE_DELAY_MS } from "./drafts";

const n1 = "n1" as NodeId;
const PNG: Attachment = { id: "f1", name: "a.png", mediaType: "image/png", sizeBytes: 3, digest: "a" };

class FakeStorage implements Storage {
  readonly items = new Map<string, string>();
  get length(): number {
    return this.items.size;
  }
  key = (index: number) => [...this.items.keys()][index] ?? null;
  getItem = (key: string) => this.items.get(key) ?? null;
  setItem = (key: string, value: string) => void this.items.set(key, value);
  removeItem = (key: string) => void this.items.delete(key);
  clear = () => this.items.clear();
}

/** A server that answers when told to. */
function setUp({ storage = new FakeStorage(), draft = "" } = {}) {
  const mirror = new Mirror();
  mirror.load(welcome([chat({ data: { kind: "chat", draft } })]));
  const asked: { command: Command; resolve: (ack: Ack) => void; reject: (error: Error) => void }[] = [];
  const send = (command: Command) =>
    new Promise<Ack>((resolve, reject) => asked.push({ command, resolve, reject: (error) => reject(error) }));
  const drafts = new Drafts({ mirror, send, storage });
  const commands = () => asked.map((each) => each.command);
  const answer = async (ack: Partial<Ack> = {}) => {
    asked.at(-1)?.resolve({ type: "ack", id: "1", seq: 0, ...ack });
    await vi.advanceTimersByTimeAsync(0);
  };
  const refuse = async (message: string, code = "busy") => {
    asked.at(-1)?.reject(new CommandError("rejected", code, message));
    await vi.advanceTimersByTimeAsync(0);
  };
  return { drafts, mirror, storage, commands, answer, refuse };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("Drafts", () => {
  it("[W9] puts nothing back that was said and only waits for the disk", async () => {
    const { drafts, refuse } = setUp();
    drafts.edit(n1, "Hello");
    void drafts.submit(n1);
    await refuse("the disk is full", "save_failed");
    expect(drafts.state(n1)).toMatchObject({ text: "", outgoing: null, refusal: "" });
    drafts.edit(n1, "Again");
    void drafts.submit(n1);
    await refuse("a reply runs");
    expect(drafts.state(n1)).toMatchObject({ text: "Again", refusal: "a reply runs" });
  });

  it("[U10] saves half a second after the last key", () => {
    const { drafts, commands } = setUp();
    drafts.edit(n1, "Hel");
    vi.advanceTimersByTime(SAVE_DELAY_MS - 1);
    drafts.edit(n1, "Hello");
    vi.advanceTimersByTime(SAVE_DELAY_MS - 1);
    expect(commands()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(commands()).toEqual([{ do: "saveDraft", node: n1, text: "Hello" }]);
  });

  it("[U10] saves at once on leaving the composer", () => {
    const { drafts, commands } = setUp();
    drafts.edit(n1, "Hello");
    drafts.flush(n1);
    expect(commands()).toEqual([{ do: "saveDraft", node: n1, text: "Hello" }]);
  });

  it("[U10] keeps an unsaved text in the browser and shows it after a reload", () => {
    const storage = new FakeStorage();
    setUp({ storage }).drafts.edit(n1, "Hello");
    const { drafts } = setUp({ storage });
    expect(drafts.state(n1).text).toBe("Hello");
  });

  it("follows what another tab saved, but not while it is typed into", async () => {
    const { drafts, mirror } = setUp({ draft: "a" });
    mirror.apply([frame(1, put(chat({ data: { kind: "chat", draft: "ab" } })))]);
    expect(drafts.state(n1).text).toBe("ab");
    drafts.edit(n1, "mine");
    mirror.apply([frame(2, put(chat({ data: { kind: "chat", draft: "abc" } })))]);
    expect(drafts.state(n1).text).toBe("mine");
  });

  it("forgets its copy once the server has it", async () => {
    const { drafts, mirror, storage, answer } = setUp();
    drafts.edit(n1, "Hello");
    drafts.flush(n1);
    mirror.apply([frame(1, put(chat({ data: { kind: "chat", draft: "Hello" } })))]);
    await answer({ seq: 1 });
    expect(storage.items.size).toBe(0);
    expect(drafts.state(n1).text).toBe("Hello");
  });

  it("[W12] sends once, however often Enter is pressed", async () => {
    const { drafts, commands, answer } = setUp();
    drafts.edit(n1, "Hello");
    void drafts.submit(n1);
    void drafts.submit(n1);
    void drafts.submit(n1);
    await answer();
    expect(commands()).toEqual([{ do: "sendMessage", node: n1, text: "Hello" }]);
    expect(drafts.state(n1)).toMatchObject({ text: "", outgoing: null, refusal: "" });
  });

  it("[W12] takes what is typed while a message is on its way, and sends it after the answer", async () => {
    const { drafts, commands, answer } = setUp();
    drafts.edit(n1, "one");
    void drafts.submit(n1);
    drafts.edit(n1, "two");
    void drafts.submit(n1);
    expect(commands()).toHaveLength(1);
    await answer();
    expect(commands().at(-1)).toEqual({ do: "sendMessage", node: n1, text: "two" });
  });

  it("[W12] puts a refused text back, with the reason, before what was typed meanwhile", async () => {
    const { drafts, refuse } = setUp();
    drafts.edit(n1, "one");
    void drafts.submit(n1);
    drafts.edit(n1, "two");
    await refuse("This chat is answering.");
    expect(drafts.state(n1)).toMatchObject({ text: "one\n\ntwo", outgoing: null, refusal: "This chat is answering." });
    drafts.edit(n1, "one");
    expect(drafts.state(n1).refusal).toBe("");
  });

  it("[W4] gives an undone text back only to an empty composer", () => {
    const { drafts } = setUp();
    drafts.offer(n1, "undone");
    expect(drafts.state(n1).text).toBe("undone");
    drafts.offer(n1, "another");
    expect(drafts.state(n1).text).toBe("undone");
  });

  it("[W4] takes an undone text back again, unless it was changed", () => {
    const { drafts } = setUp();
    drafts.offer(n1, "undone", [PNG]);
    expect(drafts.withdraw(n1, "undone")).toBe(false);
    expect(drafts.withdraw(n1, "undone", [PNG])).toBe(true);
    expect(drafts.state(n1)).toMatchObject({ text: "", files: [] });
    drafts.offer(n1, "undone");
    drafts.edit(n1, "undone, and more");
    expect(drafts.withdraw(n1, "undone")).toBe(false);
    expect(drafts.state(n1).text).toBe("undone, and more");
  });

  it("[W12] gives queued text back before what stands in the composer", () => {
    const { drafts } = setUp();
    drafts.edit(n1, "typed");
    drafts.giveBack(n1, "queued");
    expect(drafts.state(n1).text).toBe("queued\n\ntyped");
  });

  it("sends nothing when there is nothing to say", () => {
    const { drafts, commands } = setUp();
    drafts.edit(n1, "  \n ");
    void drafts.submit(n1);
    expect(commands()).toEqual([]);
  });

  it("[U11] sends files with the text, and puts both back when they are refused", async () => {
    const { drafts, commands, refuse } = setUp();
    drafts.attach(n1, PNG);
    drafts.attach(n1, { ...PNG, id: "again" });
    expect(drafts.state(n1).files.map((file) => file.id)).toEqual(["again"]);
    void drafts.submit(n1);
    expect(commands()).toMatchObject([{ do: "sendMessage", text: "", attachments: [{ id: "again" }] }]);
    expect(drafts.state(n1)).toMatchObject({ files: [], outgoing: "" });
    await refuse("No.");
    expect(drafts.state(n1)).toMatchObject({ text: "", refusal: "No.", files: [{ id: "again" }] });
  });

  it("[U10] files of a draft are saved with it and outlive the page", async () => {
    const { drafts, commands, storage } = setUp();
    drafts.attach(n1, PNG);
    await vi.advanceTimersByTimeAsync(SAVE_DELAY_MS);
    expect(commands()).toEqual([{ do: "saveDraft", node: n1, text: "", attachments: [PNG] }]);
    const reloaded = setUp({ storage });
    expect(reloaded.drafts.state(n1).files).toEqual([PNG]);
    reloaded.drafts.detach(n1, PNG);
    expect(reloaded.drafts.state(n1).files).toEqual([]);
  });

  it("[W4] gives files back with the text, into an empty composer alone", () => {
    const { drafts } = setUp();
    drafts.offer(n1, "", [PNG]);
    expect(drafts.state(n1).files).toEqual([PNG]);
    drafts.offer(n1, "other", []);
    expect(drafts.state(n1).text).toBe("");
    drafts.giveBack(n1, "queued", [{ ...PNG, id: "f2" }]);
    expect(drafts.state(n1)).toMatchObject({ text: "queued", files: [{ id: "f2" }, { id: "f1" }] });
  });

  it("[C7] a person decides about a chat that is full, and the next text asks again", async () => {
    const { drafts, commands, refuse, answer } = setUp();
    drafts.edit(n1, "more");
    void drafts.submit(n1);
    await refuse("Too much.", "context_full");
    expect(drafts.state(n1)).toMatchObject({ text: "more", refusal: "Too much.", full: true });
    void drafts.submit(n1, "trim");
    expect(commands().at(-1)).toEqual({ do: "sendMessage", node: n1, text: "more", whenFull: "trim" });
    await answer();
    expect(drafts.state(n1).full).toBe(false);
  });
});
