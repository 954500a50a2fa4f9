import { describe, expect, it } from "vitest";
import { chat, edge, sticky } from "../testRecords";
import type { NodeId } from "../wire/generated";
import type { Places } from "./drags";
import { facingSides, toFlowEdges, toFlowNodes } from "./toFlow";

const NO_PLACES: Places = new Map();
const NONE = new Set<string>();

describe("toFlowNodes", () => {
  it("takes place, size and kind from the record, and nothing that streams", () => {
    const [node] = toFlowNodes([chat({ x: 10, y: 20, title: "Plan" })], NO_PLACES, NONE, []);
    expect(node).toMatchObject({
      id: "n1",
      type: "chat",
      position: { x: 10, y: 20 },
      width: 460,
      height: 520,
      measured: { width: 460, height: 520 },
      selected: false,
      dragHandle: ".node-drag",
      data: {},
      ariaLabel: "Chat: Plan",
    });
  });

  it("keeps the identity of what has not changed", () => {
    const before = toFlowNodes([chat(), sticky()], NO_PLACES, NONE, []);
    const after = toFlowNodes([chat({ x: 5 }), sticky()], NO_PLACES, NONE, before);
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).toBe(before[1]);
  });

  it("gives back the very list when a record changed in what the canvas does not show", () => {
    const before = toFlowNodes([chat()], NO_PLACES, NONE, []);
    const draft = chat({ data: { kind: "chat", draft: "typing" } });
    expect(toFlowNodes([draft], NO_PLACES, NONE, before)).toBe(before);
  });

  it("[CH8] lays a drag in progress over the record", () => {
    const places: Places = new Map([["n1" as NodeId, { x: 7, y: 8, width: 500, height: 600 }]]);
    const [node] = toFlowNodes([chat()], places, NONE, []);
    expect(node).toMatchObject({ position: { x: 7, y: 8 }, width: 500, height: 600 });
    expect(node?.handles?.map(({ id, x, y }) => [id, x, y])).toEqual([
      ["right", 500, 300],
      ["left", 0, 300],
      ["bottom", 250, 600],
      ["top", 250, 0],
    ]);
  });

  it("marks what is selected", () => {
    const nodes = toFlowNodes([chat(), sticky()], NO_PLACES, new Set(["s1"]), []);
    expect(nodes.map((node) => node.selected)).toEqual([false, true]);
  });
});

describe("toFlowEdges", () => {
  it("draws an edge once both its nodes are there", () => {
    const nodes = [chat(), chat({ id: "n2" })];
    expect(toFlowEdges([edge()], nodes.slice(0, 1), NO_PLACES, NONE, [])).toEqual([]);
    expect(toFlowEdges([edge({ title: "uses" })], nodes, NO_PLACES, NONE, [])).toMatchObject([
      { id: "e1", source: "n1", target: "n2", label: "uses" },
    ]);
  });

  it("keeps the identity of what has not changed", () => {
    const nodes = [chat(), chat({ id: "n2" })];
    const before = toFlowEdges([edge()], nodes, NO_PLACES, NONE, []);
    expect(toFlowEdges([edge()], nodes, NO_PLACES, NONE, before)).toBe(before);
  });
});

describe("lineage", () => {
  it("[L4] is drawn unlike links: it has no arrow, since it carries nothing", () => {
    const nodes = [chat(), chat({ id: "n2" }), chat({ id: "n3" })];
    const records = [edge({ kind: "lineage" }), edge({ id: "e2", target: "n3" })];
    const [lineage, link] = toFlowEdges(records, nodes, NO_PLACES, NONE, []);
    expect(lineage).toMatchObject({ className: "lineage" });
    expect(lineage).not.toHaveProperty("markerEnd");
    expect(link).not.toHaveProperty("className");
  });
});

describe("facingSides", () => {
  it.each([
    ["right", "left", { x: 900, y: 100 }],
    ["left", "right", { x: -900, y: 100 }],
    ["bottom", "top", { x: 100, y: 900 }],
    ["top", "bottom", { x: 100, y: -900 }],
  ])("joins the sides that look at each other: %s to %s", (source, target, place) => {
    expect(facingSides(chat(), chat(place))).toEqual([source, target]);
  });
});
