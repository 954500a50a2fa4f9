/** The stories that the server's tests have pinned: told here, they must end with the very same records. */
import { describe, expect, it } from "vitest";
import { Connection, type Socket } from "../wire/connection";
import type { ServerMessage, WireRecord } from "../wire/generated";
import { Mirror } from "./mirror";

interface Story {
  readonly messages: readonly ServerMessage[];
  readonly records: readonly WireRecord[] | Readonly<Record<string, WireRecord>>;
}

const stories = import.meta.glob<Story>("../../../tests/wire/golden/*.json", { eager: true, import: "default" });

describe("golden frames", () => {
  it("are there", () => {
    expect(Object.keys(stories).length).toBeGreaterThan(0);
  });

  it.each(Object.entries(stories))("[M8] %s", (_path, { messages, records }) => {
    const socket: Socket = { onopen: null, onmessage: null, onclose: null, send: () => {}, close: () => {} };
    const mirror = new Mirror();
    const connection = new Connection({
      open: () => socket,
      listener: { welcome: (welcome) => mirror.load(welcome), frames: (frames) => mirror.apply(frames) },
    });
    connection.start();
    for (const message of messages) socket.onmessage?.({ data: JSON.stringify(message) });
    const expected = new Map(Object.values(records).map((record) => [record.id as string, record]));
    expect(new Map(mirror.everything())).toEqual(expected);
    connection.stop();
  });
});
