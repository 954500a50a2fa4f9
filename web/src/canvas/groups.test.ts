import { describe, expect, it } from "vitest";
import { chat } from "../testRecords";
import type { NodeId, NodeRecord } from "../wire/generated";
import { areaAround, Carrying, membersOf } from "./groups";

const at = (id: string, x: number, y: number, width = 100, height = 100): NodeRecord => ({
  ...chat({ id }),
  x,
  y,
  width,
  height,
});
const group = (id: string, x: number, y: number, width: number, height: number): NodeRecord => ({
  ...at(id, x, y, width, height),
  data: { kind: "group" },
});
const NONE = new Map();

describe("groups", () => {
  const records = [
    group("g", 0, 0, 500, 400),
    at("in", 10, 10),
    at("half", 460, 0), // its middle is beyond the edge
    at("out", 900, 0),
    group("around", -500, -500, 2000, 2000),
  ];

  it("[U6] have as members what stands on them with its middle, and no group around them", () => {
    expect(membersOf("g" as NodeId, records, NONE)).toEqual(["in"]);
    expect(membersOf("around" as NodeId, records, NONE)).toEqual(["g", "in", "half", "out"]);
    expect(membersOf("in" as NodeId, records, NONE)).toEqual([]);
  });

  it("[U6] take along what stood on them when the drag began, and nothing they pass over", () => {
    const carrying = new Carrying();
    const place = (x: number) => ({ x, y: 5, width: 500, height: 400 });
    const first = carrying.along(new Map([["g" as NodeId, place(600)]]), NONE, records);
    expect([...first.keys()]).toEqual(["g", "in"]);
    expect(first.get("in" as NodeId)).toEqual({ x: 610, y: 15, width: 100, height: 100 });
    const second = carrying.along(new Map([["g" as NodeId, place(700)]]), first, records);
    expect(second.get("in" as NodeId)?.x).toBe(710);
    expect(second.has("out" as NodeId)).toBe(false);
    expect(carrying.end(["g" as NodeId])).toEqual(["g", "in"]);
    expect(carrying.end(["g" as NodeId])).toEqual(["g"]);
  });

  it("[U6] move nothing while they are resized", () => {
    const resized = new Map([["g" as NodeId, { x: -50, y: 0, width: 550, height: 400 }]]);
    expect([...new Carrying().along(resized, NONE, records).keys()]).toEqual(["g"]);
  });

  it("[U6] are put around nodes with room for the title", () => {
    expect(areaAround([])).toBeNull();
    expect(areaAround([at("a", 0, 0), at("b", 200, 100)])).toEqual({ x: -32, y: -56, width: 364, height: 288 });
  });
});
