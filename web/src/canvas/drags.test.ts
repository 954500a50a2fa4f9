import { describe, expect, it } from "vitest";
import { Mirror } from "../mirror/mirror";
import { chat, frame, put, welcome } from "../testRecords";
import type { Ack, Command, NodeId } from "../wire/generated";
import { Drags } from "./drags";

const n1 = "n1" as NodeId;
const place = { x: 0, y: 0, width: 460, height: 520 };

function setUp() {
  const mirror = new Mirror();
  mirror.load(welcome([chat()]));
  const asked: Command[] = [];
  const answers: ((ack: Ack | null) => void)[] = [];
  const ask = (command: Command) => {
    asked.push(command);
    return new Promise<Ack | null>((resolve) => answers.push(resolve));
  };
  return { mirror, asked, answers, drags: new Drags({ mirror, ask }) };
}

describe("Drags", () => {
  it("[CH8] keeps a place until the frame of its ack has been applied", async () => {
    const { mirror, asked, answers, drags } = setUp();
    drags.move(new Map([[n1, { ...place, x: 50 }]]));
    const finished = drags.finish([n1]);
    expect(asked).toEqual([{ do: "placeNodes", places: [{ id: n1, x: 50, y: 0 }] }]);
    answers[0]?.({ type: "ack", id: "1", seq: 1 });
    await Promise.resolve();
    expect(drags.current().get(n1)?.x).toBe(50);
    mirror.apply([frame(1, put(chat({ x: 50 })))]);
    await finished;
    expect(drags.current().size).toBe(0);
  });

  it("drops a place that was refused", async () => {
    const { answers, drags } = setUp();
    drags.move(new Map([[n1, { ...place, x: 50 }]]));
    const finished = drags.finish([n1]);
    answers[0]?.(null);
    await finished;
    expect(drags.current().size).toBe(0);
  });

  it("keeps the place of a newer gesture", async () => {
    const { answers, drags } = setUp();
    drags.move(new Map([[n1, { ...place, x: 50 }]]));
    const finished = drags.finish([n1]);
    drags.move(new Map([[n1, { ...place, x: 90 }]]));
    answers[0]?.({ type: "ack", id: "1", seq: 0 });
    await finished;
    expect(drags.current().get(n1)?.x).toBe(90);
  });

  it("sends the size only when it changed, and nothing when nothing moved", async () => {
    const { asked, drags } = setUp();
    drags.move(new Map([[n1, place]]));
    await drags.finish([n1]);
    expect(asked).toEqual([]);
    drags.move(new Map([[n1, { ...place, width: 700 }]]));
    void drags.finish([n1]);
    expect(asked).toEqual([{ do: "placeNodes", places: [{ id: n1, x: 0, y: 0, width: 700, height: 520 }] }]);
  });
});
