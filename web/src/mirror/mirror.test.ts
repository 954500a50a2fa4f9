import { describe, expect, it, vi } from "vitest";
import { append, call, chat, edge, frame, message, put, queued, remove, run, welcome } from "../testRecords";
import type { MessageId, NodeId } from "../wire/generated";
import { Mirror } from "./mirror";

const n1 = "n1" as NodeId;
const m1 = "m1" as MessageId;

function mirrorOf(...records: Parameters<typeof welcome>[0]): Mirror {
  const mirror = new Mirror();
  mirror.load(welcome(records));
  return mirror;
}

describe("Mirror", () => {
  it("lists a node's messages by index, whatever order they came in", () => {
    const mirror = mirrorOf(chat(), message({ id: "m2", index: 4 }), message({ id: "m1", index: 1 }));
    expect(mirror.messageIds(n1)).toEqual(["m1", "m2"]);
  });

  it("keeps the identity of what a frame does not touch", () => {
    const mirror = mirrorOf(chat(), chat({ id: "n2" }), message(), message({ id: "m2", nodeId: "n2" }));
    const [nodes, ids, other] = [mirror.nodes(), mirror.messageIds(n1), mirror.message("m2" as MessageId)];
    mirror.apply([frame(1, append("m1", "more"))]);
    expect(mirror.message(m1)).toEqual(message({ content: "more" }));
    expect([mirror.nodes(), mirror.messageIds(n1), mirror.message("m2" as MessageId)]).toEqual([nodes, ids, other]);
    expect(mirror.nodes()).toBe(nodes);
    expect(mirror.messageIds(n1)).toBe(ids);
    expect(mirror.message("m2" as MessageId)).toBe(other);
  });

  it("tells only those who listen to what changed, once for a batch", () => {
    const mirror = mirrorOf(chat(), message(), message({ id: "m2", index: 1 }));
    const heard = { m1: vi.fn(), m2: vi.fn(), list: vi.fn(), nodes: vi.fn() };
    mirror.subscribe("m1", heard.m1);
    mirror.subscribe("m2", heard.m2);
    mirror.subscribe("messages:n1", heard.list);
    mirror.subscribe("nodes", heard.nodes);
    mirror.apply([frame(1, append("m1", "a")), frame(2, append("m1", "b"))]);
    expect(Object.values(heard).map((listener) => listener.mock.calls.length)).toEqual([1, 0, 0, 0]);
    mirror.apply([frame(3, put(message({ id: "m3", index: 2 })))]);
    expect(Object.values(heard).map((listener) => listener.mock.calls.length)).toEqual([1, 0, 1, 0]);
  });

  it("[U4] tells of text that only grew when it may be drawn, and of all else at once", () => {
    const draws: (() => void)[] = [];
    const mirror = new Mirror((draw) => void draws.push(draw));
    mirror.load(welcome([chat(), message(), message({ id: "m2", index: 1 })]));
    const heard = { m1: vi.fn(), m2: vi.fn() };
    mirror.subscribe("m1", heard.m1);
    mirror.subscribe("m2", heard.m2);
    const calls = () => Object.values(heard).map((listener) => listener.mock.calls.length);
    mirror.apply([frame(1, append("m1", "a"), append("m2", "b"))]);
    mirror.apply([frame(2, append("m1", "c"))]);
    expect([mirror.message(m1)?.content, mirror.seq, calls()]).toEqual(["ac", 2, [0, 0]]);
    mirror.apply([frame(3, put(message({ id: "m2", index: 1, content: "b!" })))]);
    expect(calls()).toEqual([0, 1]);
    for (const draw of draws) draw();
    expect(calls()).toEqual([1, 1]);
  });

  it("[W4] forgets messages that an undo takes away and lists them again on redo", () => {
    const mirror = mirrorOf(chat(), message());
    mirror.apply([frame(1, remove("m1"))]);
    expect(mirror.messageIds(n1)).toEqual([]);
    mirror.apply([frame(2, put(message()))]);
    expect(mirror.messageIds(n1)).toEqual(["m1"]);
  });

  it("follows a message that moves to another place", () => {
    const mirror = mirrorOf(chat(), message({ id: "m1", index: 0 }), message({ id: "m2", index: 1 }));
    expect(mirror.messageIds(n1)).toEqual(["m1", "m2"]);
    mirror.apply([frame(1, put(message({ id: "m1", index: 5 })))]);
    expect(mirror.messageIds(n1)).toEqual(["m2", "m1"]);
  });

  it("[W12] lists what is queued in a chat, in order, and what is left when one was sent", () => {
    const mirror = mirrorOf(chat(), queued({ id: "q2", index: 1 }), queued({ id: "q1", index: 0 }));
    expect(mirror.queued(n1).map((each) => each.id)).toEqual(["q1", "q2"]);
    mirror.apply([frame(1, remove("q1"))]);
    expect(mirror.queued(n1).map((each) => each.id)).toEqual(["q2"]);
  });

  it("[U8] lists the calls that wait for a decision", () => {
    const mirror = mirrorOf(chat(), message(), call({ id: "c1" }), call({ id: "c2", status: "done" }));
    expect(mirror.awaitingCalls().map((waiting) => waiting.id)).toEqual(["c1"]);
    mirror.apply([frame(1, put(call({ id: "c1", status: "running" })))]);
    expect(mirror.awaitingCalls()).toEqual([]);
    expect(mirror.callIds(m1)).toEqual(["c1", "c2"]);
  });

  it("[W5] knows a run only while there is one", () => {
    const mirror = mirrorOf(chat(), run());
    expect(mirror.run(n1)?.phase).toBe("streaming");
    mirror.apply([frame(1, remove("run:n1"))]);
    expect(mirror.run(n1)).toBeUndefined();
    expect(mirror.runs()).toEqual([]);
  });

  it("[W6] a snapshot replaces everything and tells listeners of what is gone", () => {
    const mirror = mirrorOf(chat(), chat({ id: "n2" }), edge(), message());
    const [gone, list] = [vi.fn(), vi.fn()];
    mirror.subscribe("m1", gone);
    mirror.subscribe("messages:n1", list);
    mirror.messageIds(n1);
    mirror.load(welcome([chat()], { seq: 9 }));
    expect([mirror.nodes(), mirror.edges(), mirror.messageIds(n1), mirror.seq]).toEqual([[chat()], [], [], 9]);
    expect([gone.mock.calls.length, list.mock.calls.length]).toEqual([1, 1]);
  });

  it("[W6] a resumed welcome keeps what is here", () => {
    const mirror = mirrorOf(chat(), message());
    const record = mirror.message(m1);
    mirror.load(welcome([], { resumed: true, seq: 4, records: null }));
    expect(mirror.message(m1)).toBe(record);
    expect(mirror.seq).toBe(0);
  });

  it("resolves whenApplied with the frame, not before", async () => {
    const mirror = mirrorOf(chat());
    const applied = vi.fn();
    const promise = mirror.whenApplied(2).then(applied);
    mirror.apply([frame(1)]);
    await Promise.resolve();
    expect(applied).not.toHaveBeenCalled();
    mirror.apply([frame(2)]);
    await promise;
    expect(applied).toHaveBeenCalledOnce();
  });
});
