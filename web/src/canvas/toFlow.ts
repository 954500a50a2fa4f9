/** Records as React Flow wants them; pure. What has not changed keeps its identity, so React Flow skips it. */
import { type Edge, MarkerType, type Node, type NodeHandle, Position } from "@xyflow/react";
import type { EdgeRecord, NodeData, NodeId, NodeRecord } from "../wire/generated";
import type { Places } from "./drags";

/** Only place and kind: what streams is read by the node itself, by its id. */
export type FlowNode = Node<Record<string, never>, NodeData["kind"]>;

const NO_DATA: Record<string, never> = {};

/** The element that a node is dragged by. */
export const DRAG_HANDLE = "node-drag";

export function toFlowNodes(
  records: readonly NodeRecord[],
  places: Places,
  selected: ReadonlySet<string>,
  previous: readonly FlowNode[],
): readonly FlowNode[] {
  const before = new Map(previous.map((node) => [node.id, node]));
  const nodes = records.map((record) => {
    const place = places.get(record.id) ?? record;
    const kept = before.get(record.id);
    const node: FlowNode = {
      id: record.id,
      type: record.data.kind,
      position: { x: place.x, y: place.y },
      width: place.width,
      height: place.height,
      measured: { width: place.width, height: place.height },
      handles: handlesFor(place.width, place.height),
      selected: selected.has(record.id),
      dragHandle: `.${DRAG_HANDLE}`,
      data: NO_DATA,
      ariaLabel: labelFor(record),
    };
    return kept && isSame(kept, node) ? kept : node;
  });
  const unchanged = nodes.length === previous.length && nodes.every((node, index) => node === previous[index]);
  return unchanged ? previous : nodes;
}

export function toFlowEdges(
  records: readonly EdgeRecord[],
  nodes: readonly NodeRecord[],
  selected: ReadonlySet<string>,
  previous: readonly Edge[],
): readonly Edge[] {
  const known = new Set<NodeId>(nodes.map((node) => node.id));
  const before = new Map(previous.map((edge) => [edge.id, edge]));
  const edges = records
    .filter((record) => known.has(record.source) && known.has(record.target))
    .map((record) => {
      const kept = before.get(record.id);
      const isSelected = selected.has(record.id);
      const label = record.title ?? "";
      if (
        kept &&
        kept.source === record.source &&
        kept.target === record.target &&
        (kept.label ?? "") === label &&
        kept.selected === isSelected
      ) {
        return kept;
      }
      return {
        id: record.id,
        source: record.source,
        target: record.target,
        selected: isSelected,
        markerEnd: { type: MarkerType.ArrowClosed, width: 18, height: 18 },
        ...(label ? { label } : {}),
      };
    });
  const unchanged = edges.length === previous.length && edges.every((edge, index) => edge === previous[index]);
  return unchanged ? previous : edges;
}

/** Given here and not measured from the page, so that edges to nodes that are off screen are drawn. */
function handlesFor(width: number, height: number): NodeHandle[] {
  const size = { width: 1, height: 1, y: height / 2 };
  return [
    { ...size, type: "target", position: Position.Left, x: 0 },
    { ...size, type: "source", position: Position.Right, x: width },
  ];
}

function labelFor(record: NodeRecord): string {
  const kind = record.data.kind === "chat" ? "Chat" : "Note";
  return record.title ? `${kind}: ${record.title}` : kind;
}

function isSame(left: FlowNode, right: FlowNode): boolean {
  return (
    left.type === right.type &&
    left.position.x === right.position.x &&
    left.position.y === right.position.y &&
    left.width === right.width &&
    left.height === right.height &&
    left.selected === right.selected &&
    left.ariaLabel === right.ariaLabel
  );
}
