import { describe, expect, it } from "vitest";
import { chat } from "../testRecords";
import type { NodeId } from "../wire/generated";
import { fromFlow, selectedAfter } from "./fromFlow";

const placeOf = (id: NodeId) => (id === "n1" || id === "n2" ? chat({ id }) : undefined);
const place = { x: 0, y: 0, width: 460, height: 520 };

describe("fromFlow", () => {
  it("moves while the pointer moves and finishes when it is let go", () => {
    const moving = fromFlow([{ type: "position", id: "n1", position: { x: 3.4, y: 9 }, dragging: true }], placeOf);
    expect([...moving.places]).toEqual([["n1", expect.objectContaining({ ...place, x: 3, y: 9 })]]);
    expect(moving.finished).toEqual([]);
    const end = fromFlow([{ type: "position", id: "n1", position: { x: 4, y: 9 }, dragging: false }], placeOf);
    expect(end.finished).toEqual(["n1"]);
  });

  it("finishes nodes that were moved together as one gesture", () => {
    const position = { x: 1, y: 1 };
    const end = fromFlow(
      [
        { type: "position", id: "n1", position, dragging: false },
        { type: "position", id: "n2", position, dragging: false },
      ],
      placeOf,
    );
    expect(end.finished).toEqual(["n1", "n2"]);
  });

  it("joins place and size when a corner at the top left is dragged", () => {
    const sizing = fromFlow(
      [
        { type: "position", id: "n1", position: { x: -10, y: -20 } },
        { type: "dimensions", id: "n1", resizing: true, dimensions: { width: 470, height: 540 } },
      ],
      placeOf,
    );
    const sized = { x: -10, y: -20, width: 470, height: 540 };
    expect([...sizing.places]).toEqual([["n1", expect.objectContaining(sized)]]);
    expect(sizing.finished).toEqual([]);
    const end = fromFlow([{ type: "dimensions", id: "n1", resizing: false }], placeOf);
    expect(end.finished).toEqual(["n1"]);
  });

  it("ignores sizes that were only measured, and nodes that are gone", () => {
    const gesture = fromFlow(
      [
        { type: "dimensions", id: "n1", dimensions: { width: 1, height: 1 } },
        { type: "position", id: "n9", position: { x: 1, y: 1 }, dragging: false },
      ],
      placeOf,
    );
    expect([gesture.places.size, gesture.finished]).toEqual([0, []]);
  });
});

describe("selectedAfter", () => {
  it("adds and takes away, and keeps the very set when nothing changes", () => {
    const before = new Set(["n1"]);
    const changes = [
      { type: "select", id: "n1", selected: false },
      { type: "select", id: "n2", selected: true },
    ] as const;
    expect([...selectedAfter(changes, before)]).toEqual(["n2"]);
    expect(selectedAfter([{ type: "select", id: "n1", selected: true }], before)).toBe(before);
  });
});
