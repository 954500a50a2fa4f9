import { describe, expect, it } from "vitest";
import { chat } from "../testRecords";
import type { EdgeId, EdgeRecord, NodeId, NodeRecord } from "../wire/generated";
import type { Place } from "./drags";
import { type Layout, tidy } from "./tidy";

const at = (id: string, x: number, y: number, width = 460, height = 520): NodeRecord => ({
  ...chat({ id }),
  x,
  y,
  width,
  height,
});
const edge = (source: string, target: string): EdgeRecord => ({
  record: "edge",
  id: `${source}-${target}` as EdgeId,
  source: source as NodeId,
  target: target as NodeId,
  kind: "lineage",
});

function laidOut(layout: Layout, records: readonly NodeRecord[], edges: readonly EdgeRecord[] = []) {
  const moved = tidy(layout, records, edges);
  return new Map(records.map((record) => [record.id as string, { ...record, ...moved.get(record.id) }]));
}
const overlap = (a: Place, b: Place) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

function expectNoOverlap(records: Iterable<NodeRecord>) {
  const all = [...records];
  for (const [index, left] of all.entries()) {
    for (const right of all.slice(index + 1)) expect(overlap(left, right), `${left.id} and ${right.id}`).toBe(false);
  }
}

/** The same numbers in every run. */
function* numbers(seed: number): Generator<number> {
  for (let value = seed; ; ) {
    value = (value * 1103515245 + 12345) % 2147483648;
    yield value / 2147483648;
  }
}

describe("tidy", () => {
  it("[U6] in a grid covers nothing, keeps the corner, and is at rest afterwards", () => {
    const random = numbers(7);
    const some = () => random.next().value as number;
    const records = Array.from({ length: 60 }, (_, index) =>
      at(`n${index}`, some() * 3000, some() * 2000, 140 + some() * 500, 90 + some() * 500),
    );
    const placed = laidOut("grid", records);
    expectNoOverlap(placed.values());
    expect(Math.min(...[...placed.values()].map((each) => each.x))).toBeCloseTo(
      Math.min(...records.map((each) => each.x)),
      -1,
    );
  });

  it("[U6] by lineage puts children to the right, in a column for each generation, and the rest below", () => {
    const records = [
      at("alone", 0, 0),
      at("child2", 5, 9),
      at("root", 900, 40),
      at("child1", 5, 5),
      at("leaf", 0, 900),
    ];
    const edges = [edge("root", "child1"), edge("root", "child2"), edge("child1", "leaf")];
    const placed = laidOut("lineage", records, edges);
    expectNoOverlap(placed.values());
    const x = (id: string) => placed.get(id)?.x ?? Number.NaN;
    const y = (id: string) => placed.get(id)?.y ?? Number.NaN;
    expect(x("child1")).toBe(x("root") + 460 + 96);
    expect(x("child2")).toBe(x("child1"));
    expect(x("leaf")).toBe(x("child1") + 460 + 96);
    expect([y("root"), y("leaf")]).toEqual([y("child1"), y("child1")]);
    expect(y("alone")).toBeGreaterThan(y("child2"));
  });

  it("[U6] by lineage takes any edges, circles too", () => {
    const random = numbers(3);
    const pick = () => `n${Math.floor((random.next().value as number) * 20)}`;
    for (let round = 0; round < 40; round++) {
      const records = Array.from({ length: 20 }, (_, index) => at(`n${index}`, index * 7, index * 5, 200, 100));
      const edges = Array.from({ length: 30 }, () => edge(pick(), pick()));
      expectNoOverlap(laidOut("lineage", records, edges).values());
    }
  });

  it("[U6] moves a group as one, with what stands on it", () => {
    const group: NodeRecord = { ...at("g", 1000, 1000, 900, 700), data: { kind: "group" } };
    const placed = laidOut("grid", [at("a", 0, 0), group, at("in", 1040, 1060)]);
    const [area, member] = [placed.get("g"), placed.get("in")];
    expect([(member?.x ?? 0) - (area?.x ?? 0), (member?.y ?? 0) - (area?.y ?? 0)]).toEqual([40, 60]);
    expect(area?.x).not.toBe(1000);
  });

  it("[U6] lays out a thousand nodes in a moment", () => {
    const records = Array.from({ length: 1000 }, (_, index) => at(`n${index}`, (index * 37) % 900, index));
    const edges = records.slice(1).map((each, index) => edge(`n${Math.floor(index / 3)}`, each.id));
    const begin = process.cpuUsage(); // what others do on this machine does not count
    expect(laidOut("lineage", records, edges).size).toBe(1000);
    expect(process.cpuUsage(begin).user).toBeLessThan(10_000_000);
  });
});
