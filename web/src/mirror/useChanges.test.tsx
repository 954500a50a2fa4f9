import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { useTalkfield } from "../Talkfield";
import { setUpClient } from "../testClient";
import { chat, frame, put } from "../testRecords";
import type { NodeId } from "../wire/generated";
import { useNode } from "./hooks";
import { useChanges } from "./useChanges";

const n1 = "n1" as NodeId;
const NONE: readonly string[] = [];
const off = (...toolsOff: readonly string[]) => put(chat({ data: { kind: "chat", toolsOff } }));

function Tools() {
  const { ask } = useTalkfield();
  const data = useNode(n1)?.data;
  const [tools, change] = useChanges((data?.kind === "chat" && data.toolsOff) || NONE, (next) =>
    ask({ do: "switchTools", node: n1, off: next }),
  );
  const without = (name: string) => change((before) => (before.includes(name) ? before : [...before, name]));
  return (
    <>
      <output>{tools.join(" ")}</output>
      <button type="button" onClick={() => without("a")}>
        a
      </button>
      <button type="button" onClick={() => without("b")}>
        b
      </button>
    </>
  );
}

function setUp() {
  const page = setUpClient([chat()]);
  render(<Tools />, { wrapper: page.Wrapper });
  return { ...page, shown: () => screen.getByRole("status").textContent };
}

describe("useChanges", () => {
  it("[U10] takes a change along that is on its way, also when the word of an earlier one comes in between", async () => {
    const { sent, apply, acknowledge, shown } = setUp();
    await userEvent.click(screen.getByRole("button", { name: "a" }));
    await userEvent.click(screen.getByRole("button", { name: "b" }));
    expect(shown()).toBe("a b");
    apply(frame(1, off("a")));
    expect(shown()).toBe("a b");
    expect(sent().map((command) => command.do === "switchTools" && command.off)).toEqual([["a"], ["a", "b"]]);
    apply(frame(2, off("a", "b")));
    await act(async () => acknowledge({ seq: 2 }));
    expect(shown()).toBe("a b");
  });

  it("[X5] shows what the server has where a change was refused", async () => {
    const { refuse, shown } = setUp();
    await userEvent.click(screen.getByRole("button", { name: "a" }));
    expect(shown()).toBe("a");
    await act(async () => refuse("The disk is full."));
    expect(shown()).toBe("");
  });
});
