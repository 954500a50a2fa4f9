import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CommandError } from "./commands";
import { Connection, type ConnectionListener, FIRST_RETRY_MS, PING_INTERVAL_MS, type Socket } from "./connection";
import type { ClientMessage, Command, Frame, ProjectId, ServerMessage, Welcome } from "./generated";

class FakeSocket implements Socket {
  onopen: (() => void) | null = null;
  onmessage: ((event: { readonly data: unknown }) => void) | null = null;
  onclose: ((event: { readonly code: number }) => void) | null = null;
  readonly sent: ClientMessage[] = [];
  closed = false;

  send(text: string): void {
    this.sent.push(JSON.parse(text) as ClientMessage);
  }

  close(): void {
    this.closed = true;
  }

  says(message: ServerMessage): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  drops(code = 1006): void {
    this.onclose?.({ code });
  }
}

function setUp(listener: Partial<ConnectionListener> = {}) {
  const sockets: FakeSocket[] = [];
  const applied: number[] = [];
  const welcomes: Welcome[] = [];
  const connection = new Connection({
    open: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    random: () => 1,
    client: "tab",
    listener: {
      welcome: (welcome) => welcomes.push(welcome),
      frames: (frames) => applied.push(...frames.map((frame) => frame.seq)),
      ...listener,
    },
  });
  const last = (): FakeSocket => {
    const socket = sockets.at(-1);
    if (!socket) throw new Error("no socket was opened");
    return socket;
  };
  const goLive = (seq = 0, epoch = "one", resumed = false) => {
    last().onopen?.();
    last().says(welcome({ seq, epoch, resumed }));
  };
  return { connection, sockets, applied, welcomes, last, goLive };
}

const welcome = (fields: Partial<Welcome> = {}): Welcome => ({
  type: "welcome",
  protocol: 1,
  version: "1",
  project: "p1" as ProjectId,
  epoch: "one",
  seq: 0,
  resumed: false,
  ...fields,
});
const frames = (...seqs: readonly (number | { first: number; seq: number })[]): ServerMessage => ({
  type: "frames",
  frames: seqs.map((seq): Frame => {
    const numbers = typeof seq === "number" ? { seq } : seq;
    return { ...numbers, cause: "test", changes: [] };
  }),
});
const hello = (fields: object = {}) => ({ type: "hello", protocol: 1, client: "tab", ...fields });
const UNDO: Command = { do: "undo" };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("Connection", () => {
  it("[CH1] says hello first, without a place to go on from", () => {
    const { connection, last } = setUp();
    connection.start();
    last().onopen?.();
    expect(last().sent).toEqual([hello()]);
  });

  it("[CH3] is live after the welcome and hands on frames in order", () => {
    const { connection, last, applied, goLive } = setUp();
    connection.start();
    goLive(7);
    last().says(frames(8, 9));
    expect(connection.getState()).toEqual({ status: "live" });
    expect(applied).toEqual([8, 9]);
  });

  it("[CH3] resumes from the last good epoch and seq after a drop", () => {
    const { connection, sockets, last, goLive } = setUp();
    connection.start();
    goLive(7);
    last().says(frames(8));
    last().drops();
    expect(connection.getState().status).toBe("waiting");
    vi.advanceTimersByTime(FIRST_RETRY_MS);
    last().onopen?.();
    expect(sockets).toHaveLength(2);
    expect(last().sent).toEqual([hello({ project: "p1", epoch: "one", seq: 8 })]);
  });

  it("[CH5] never applies a frame after a gap, but resumes from before it", () => {
    const { connection, sockets, last, applied, goLive } = setUp();
    connection.start();
    goLive(1);
    last().says(frames(2, 4));
    expect(applied).toEqual([2]);
    expect(sockets).toHaveLength(2);
    last().onopen?.();
    expect(last().sent).toEqual([hello({ project: "p1", epoch: "one", seq: 2 })]);
  });

  it("[CH5] leaves out frames that were applied before", () => {
    const { connection, last, applied, goLive } = setUp();
    connection.start();
    goLive(5);
    last().says(frames(4, 5, 6));
    expect(applied).toEqual([6]);
  });

  it("[CH6] takes a merged frame for all the commits it covers", () => {
    const { connection, sockets, last, applied, goLive } = setUp();
    connection.start();
    goLive(1);
    last().says(frames({ first: 2, seq: 6 }, 7));
    expect(applied).toEqual([6, 7]);
    expect(sockets).toHaveLength(1);
  });

  it("[CH5] asks for everything again when a frame cannot be applied", () => {
    const { connection, last, goLive } = setUp({
      frames: () => {
        throw new Error("append to m1, which is not there");
      },
    });
    connection.start();
    goLive(1);
    last().says(frames(2));
    vi.advanceTimersByTime(FIRST_RETRY_MS);
    last().onopen?.();
    expect(last().sent).toEqual([hello({ project: "p1" })]);
  });

  it("[CH10] connects again after two pings without an answer", () => {
    const { connection, sockets, last, goLive } = setUp();
    connection.start();
    goLive();
    vi.advanceTimersByTime(PING_INTERVAL_MS * 2);
    expect(last().sent.slice(1)).toEqual([{ type: "ping" }, { type: "ping" }]);
    expect(sockets).toHaveLength(1);
    vi.advanceTimersByTime(PING_INTERVAL_MS);
    expect(sockets).toHaveLength(2);
    expect(sockets[0]?.closed).toBe(true);
  });

  it("[CH10] stays as long as pings are answered", () => {
    const { connection, sockets, last, goLive } = setUp();
    connection.start();
    goLive();
    for (let count = 0; count < 10; count++) {
      vi.advanceTimersByTime(PING_INTERVAL_MS);
      last().says({ type: "pong" });
    }
    expect(sockets).toHaveLength(1);
  });

  it("[W6] on waking, proves the connection and leaves a dead one at once", () => {
    const { connection, sockets, last, goLive } = setUp();
    connection.start();
    goLive();
    connection.wake();
    last().says({ type: "pong" });
    vi.advanceTimersByTime(2_600);
    expect(sockets).toHaveLength(1);
    connection.wake();
    vi.advanceTimersByTime(2_600);
    expect(sockets).toHaveLength(2);
  });

  it("[W6] on waking, does not sit out the backoff", () => {
    const { connection, sockets, last, goLive } = setUp();
    connection.start();
    goLive();
    last().drops();
    connection.wake();
    expect(sockets).toHaveLength(2);
  });

  it("backs off longer each time, with an end", () => {
    const { connection, sockets, last } = setUp();
    connection.start();
    const delays: number[] = [];
    for (let count = 0; count < 8; count++) {
      last().drops();
      const state = connection.getState();
      if (state.status !== "waiting") throw new Error(`is ${state.status}`);
      delays.push(state.retryAt - Date.now());
      vi.advanceTimersByTime(delays.at(-1) ?? 0);
    }
    expect(delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
    expect(sockets).toHaveLength(9);
  });

  it("[CH8] resolves a command with its ack and rejects with the server's words", async () => {
    const { connection, last, goLive } = setUp();
    connection.start();
    goLive();
    const done = connection.send(UNDO);
    const refused = connection.send({ do: "redo" });
    last().says({ type: "ack", id: "1", seq: 4 });
    last().says({ type: "rejected", id: "2", code: "turn_running", message: "A reply is running.", hint: "Stop it." });
    await expect(done).resolves.toEqual({ type: "ack", id: "1", seq: 4 });
    await expect(refused).rejects.toEqual(
      new CommandError("rejected", "turn_running", "A reply is running.", "Stop it."),
    );
  });

  it("[CH9] keeps commands while offline and sends them once live", () => {
    const { connection, last, goLive } = setUp();
    connection.start();
    void connection.send(UNDO);
    expect(last().sent).toEqual([]);
    goLive();
    expect(last().sent.slice(1)).toEqual([{ type: "do", id: "1", command: UNDO }]);
  });

  it("[CH9] asks again with the same id when the answer was lost with the connection", async () => {
    const { connection, last, goLive } = setUp();
    connection.start();
    goLive(3);
    const done = connection.send(UNDO);
    last().drops();
    vi.advanceTimersByTime(FIRST_RETRY_MS);
    goLive(3, "one", true);
    expect(last().sent.slice(1)).toEqual([{ type: "do", id: "1", command: UNDO }]);
    last().says({ type: "ack", id: "1", seq: 4 });
    await expect(done).resolves.toMatchObject({ seq: 4 });
  });

  it("[CH9] never repeats a command to another process, which cannot know that it was done", async () => {
    const { connection, last, goLive } = setUp();
    connection.start();
    goLive(3);
    const sent = connection.send(UNDO);
    last().drops();
    const waiting = connection.send({ do: "redo" });
    void waiting;
    vi.advanceTimersByTime(FIRST_RETRY_MS);
    goLive(1, "two");
    await expect(sent).rejects.toMatchObject({ kind: "unknown", code: "unknown_outcome" });
    expect(last().sent.slice(1)).toEqual([{ type: "do", id: "2", command: { do: "redo" } }]);
  });

  it("changes project on the same connection and drops frames of the one before", () => {
    const { connection, sockets, last, applied, goLive } = setUp();
    connection.start();
    goLive(3);
    void connection.send(UNDO);
    connection.openProject("p2" as ProjectId);
    last().says(frames(4));
    expect(last().sent.at(-1)).toEqual(hello({ project: "p2" }));
    last().says(welcome({ project: "p2" as ProjectId, epoch: "other", seq: 10 }));
    last().says(frames(11));
    // What was asked before is still being answered on this very connection.
    expect(last().sent.filter((message) => message.type === "do")).toHaveLength(1);
    expect(applied).toEqual([11]);
    expect(sockets).toHaveLength(1);
  });

  it("[X1] stops when this browser is not signed in, and fails what was asked", async () => {
    const { connection, sockets, last } = setUp();
    connection.start();
    const asked = connection.send(UNDO);
    last().onopen?.();
    last().drops(4003);
    await expect(asked).rejects.toMatchObject({ kind: "stopped" });
    expect(connection.getState()).toMatchObject({ status: "stopped", canReload: false });
    vi.advanceTimersByTime(60_000);
    expect(sockets).toHaveLength(1);
  });

  it("[CH1] offers to reload when the server speaks another protocol, in its words", () => {
    const { connection, last } = setUp();
    connection.start();
    last().onopen?.();
    last().says({ type: "rejected", code: "protocol", message: "This page is older than the server." });
    last().drops(4001);
    expect(connection.getState()).toEqual({
      status: "stopped",
      message: "This page is older than the server.",
      canReload: true,
    });
  });

  it("takes the project opened last when the one it had is gone", () => {
    const { connection, last, goLive } = setUp();
    connection.start();
    goLive(3);
    last().drops(4004);
    vi.advanceTimersByTime(FIRST_RETRY_MS);
    last().onopen?.();
    expect(last().sent).toEqual([hello()]);
  });
});
