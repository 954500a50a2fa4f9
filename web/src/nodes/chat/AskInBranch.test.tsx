import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { chat, frame, message, provider, put, settings } from "../../testRecords";
import type { NodeId } from "../../wire/generated";
import { ChatView } from "./ChatView";

const n1 = "n1" as NodeId;

beforeEach(() => {
  // This browser lays nothing out.
  Range.prototype.getBoundingClientRect = () => new DOMRect();
});

function setUp() {
  const client = setUpClient([
    chat(),
    settings(),
    provider({ isDefault: true, model: "gpt-5" }),
    message({ id: "m1", role: "user", content: "What do bees do?", index: 0, turn: "t1" }),
    message({ id: "m2", role: "assistant", content: "Bees dance. They hum.", index: 1, turn: "t1" }),
    message({ id: "m3", role: "note", content: "A note", index: 2 }),
  ]);
  render(<ChatView node={n1} />, { wrapper: client.Wrapper });
  return client;
}

const contents = () => screen.getAllByTestId(TEST_IDS.messageContent);

/** Selects from the start of one message to `end` characters into another, or the same. */
function select(from: number, to: number, end: number) {
  const [first, last] = [textOf(contents()[from]), textOf(contents()[to])];
  act(() => {
    window.getSelection()?.setBaseAndExtent(first, 0, last, end);
    document.dispatchEvent(new Event("selectionchange"));
  });
}

function textOf(element: Element | undefined): Node {
  const walker = document.createTreeWalker(element ?? document, NodeFilter.SHOW_TEXT);
  const text = walker.nextNode();
  if (!text) throw new Error("it has no text");
  return text;
}

describe("AskInBranch", () => {
  it("[L4] asks about the text that is selected in a reply in a branch that quotes it", async () => {
    const { sent } = setUp();
    expect(screen.queryByTestId(TEST_IDS.askInBranch)).toBeNull();
    select(1, 1, "Bees dance.".length);
    await userEvent.click(screen.getByTestId(TEST_IDS.askInBranch));
    expect(sent()).toEqual([{ do: "branchChat", message: "m2", quote: "Bees dance." }]);
    expect(window.getSelection()?.isCollapsed).toBe(true);
  });

  it("[L4] does so by a key as well, but not by one that is typed or has a modifier", () => {
    const { sent } = setUp();
    select(1, 1, "Bees dance.".length);
    fireEvent.keyDown(screen.getByTestId(TEST_IDS.composer), { key: "b" });
    fireEvent.keyDown(screen.getByLabelText("Conversation"), { key: "b", ctrlKey: true });
    expect(sent()).toEqual([]);
    fireEvent.keyDown(screen.getByLabelText("Conversation"), { key: "b" });
    expect(sent()).toEqual([{ do: "branchChat", message: "m2", quote: "Bees dance." }]);
  });

  it("[L4] offers nothing for a note, for text of two messages, and while the pointer still selects", () => {
    const { sent } = setUp();
    const shown = () => screen.queryByTestId(TEST_IDS.askInBranch) !== null;
    select(2, 2, 3);
    expect(shown()).toBe(false);
    select(0, 1, 3);
    expect(shown()).toBe(false);
    fireEvent.keyDown(screen.getByLabelText("Conversation"), { key: "b" });
    expect(sent()).toEqual([]);
    fireEvent.pointerDown(document.body);
    select(0, 0, 4);
    expect(shown()).toBe(false);
    fireEvent.pointerUp(document.body);
    expect(shown()).toBe(true);
  });

  it("[L4] quotes all of a message by a key on one of its buttons", () => {
    const { sent } = setUp();
    fireEvent.keyDown(screen.getAllByTestId(TEST_IDS.copy)[1] ?? document.body, { key: "B" });
    expect(sent()).toEqual([{ do: "branchChat", message: "m2", quote: "Bees dance. They hum." }]);
  });

  it("[L4] shows the branch, which takes the cursor", async () => {
    const { client, apply, acknowledge } = setUp();
    select(1, 1, "Bees dance.".length);
    await userEvent.click(screen.getByTestId(TEST_IDS.askInBranch));
    apply(frame(1, put(chat({ id: "n2" }))));
    acknowledge({ seq: 1, made: ["n2"] });
    await waitFor(() => expect(client.spotlight.takes("n2" as NodeId)).toBe(true));
  });
});
