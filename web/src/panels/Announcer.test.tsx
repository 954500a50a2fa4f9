import { render, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { setUpClient } from "../testClient";
import { TEST_IDS } from "../testIds";
import { append, call, chat, frame, message, put, remove, run, visitorCall } from "../testRecords";
import { Announcer } from "./Announcer";
import { setNotifying } from "./tools/notify";

describe("Announcer", () => {
  it("[U9] tells of the start, the question and the end of a reply, and of no token", () => {
    const { Wrapper, apply } = setUpClient([chat({ title: "Plan" }), message({ role: "assistant" })]);
    render(<Announcer />, { wrapper: Wrapper });
    const said = () => screen.getByTestId(TEST_IDS.announcer).textContent;
    apply(frame(1, put(run({ phase: "waiting" }))));
    expect(said()).toBe("Reply started in Plan.");
    apply(frame(2, put(run({ phase: "streaming" })), append("m1", "Hello")));
    expect(said()).toBe("Reply started in Plan.");
    apply(frame(3, put(run({ phase: "awaiting" }))));
    expect(said()).toBe("A tool in Plan needs your decision.");
    apply(frame(4, remove("run:n1")));
    expect(said()).toBe("Reply ended in Plan.");
  });

  it("[U7] has the system tell of a card that waits, where that is wanted and the page is out of sight", () => {
    const shown: string[] = [];
    class Notification {
      static permission = "granted";
      onclick: (() => void) | null = null;
      constructor(title: string, options: { body: string }) {
        shown.push(`${title}: ${options.body}`);
      }
      close() {}
    }
    vi.stubGlobal("Notification", Notification);
    vi.spyOn(document, "hasFocus").mockReturnValue(false);
    const { Wrapper, apply } = setUpClient([chat({ title: "Plan" })]);
    render(<Announcer />, { wrapper: Wrapper });
    apply(frame(1, put(run({ phase: "awaiting" }))));
    expect(shown).toEqual([]);
    setNotifying(true);
    apply(frame(2, put(run({ phase: "tool" }))), frame(3, put(run({ phase: "awaiting" }))));
    apply(frame(4, put(run({ phase: "tool" }))));
    apply(frame(5, put(run({ phase: "awaiting" }))));
    expect(shown).toEqual(["Talkfield needs you: A tool in Plan waits for your decision."]);
    setNotifying(false);
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it("[T10] tells of a program outside that waits for a decision", () => {
    const { Wrapper, apply } = setUpClient([]);
    render(<Announcer />, { wrapper: Wrapper });
    apply(frame(1, put(visitorCall())));
    expect(screen.getByTestId(TEST_IDS.announcer).textContent).toBe("A program outside needs your decision.");
    expect(document.title).toBe("(1) Talkfield");
    apply(frame(2, remove("v1")));
    expect(document.title).toBe("Talkfield");
  });

  it("[U7] counts in the tab's title the chats that wait for a decision", () => {
    const calls = [call({ id: "c1" }), call({ id: "c2" }), call({ id: "c3", nodeId: "n2" })];
    const { Wrapper, apply } = setUpClient([chat(), chat({ id: "n2" }), ...calls]);
    render(<Announcer />, { wrapper: Wrapper });
    expect(document.title).toBe("(2) Talkfield");
    apply(frame(1, ...calls.map((each) => put({ ...each, status: "done" }))));
    expect(document.title).toBe("Talkfield");
  });
});
