/** Records as React Flow wants them; pure. What has not changed keeps its identity, so React Flow skips it. */
import { type Edge, MarkerType, type Node, type NodeHandle, Position } from "@xyflow/react";
import type { EdgeId, EdgeRecord, LinkState, NodeData, NodeId, NodeRecord } from "../wire/generated";
import type { Place, Places } from "./drags";
import { shownPlace } from "./shownPlace";

/** Only place and kind: what streams is read by the node itself, by its id. */
export type FlowNode = Node<Record<string, never>, NodeData["kind"]>;

const GROUP_DEPTH = -2000;
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
    const place = shownPlace(record, places.get(record.id) ?? record);
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
      // Below all others, and still so when it is selected, which lifts a node by a thousand.
      ...(record.data.kind === "group" ? { zIndex: GROUP_DEPTH, className: "group" } : {}),
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
  places: Places,
  selected: ReadonlySet<string>,
  previous: readonly Edge[],
  states: ReadonlyMap<EdgeId, LinkState> = NO_STATES,
): readonly Edge[] {
  const placeOf = new Map<NodeId, Place>(nodes.map((node) => [node.id, shownPlace(node, places.get(node.id) ?? node)]));
  const before = new Map(previous.map((edge) => [edge.id, edge]));
  const edges: Edge[] = [];
  for (const record of records) {
    const [source, target] = [placeOf.get(record.source), placeOf.get(record.target)];
    if (!source || !target) continue;
    const [sourceHandle, targetHandle] = facingSides(source, target);
    const kept = before.get(record.id);
    const edge: Edge = {
      id: record.id,
      source: record.source,
      target: record.target,
      sourceHandle,
      targetHandle,
      selected: selected.has(record.id),
      // Ancestry carries nothing (L4): it has no arrow, and style sheets know it by its class.
      ...(record.kind === "lineage" ? { className: LINEAGE } : linkLooks(record, states.get(record.id))),
    };
    edges.push(kept && isSameEdge(kept, edge) ? kept : edge);
  }
  const unchanged = edges.length === previous.length && edges.every((edge, index) => edge === previous[index]);
  return unchanged ? previous : edges;
}

const LINEAGE = "lineage";
const ARROW = { type: MarkerType.ArrowClosed, width: 18, height: 18 };
const CHANGED_ARROW = { ...ARROW, color: "var(--warn)" };
const NO_STATES: ReadonlyMap<EdgeId, LinkState> = new Map();

/** A link shows by more than its colour that what it delivered is not what its source says now (L3, U9). */
function linkLooks(record: EdgeRecord, state: LinkState | undefined): Partial<Edge> {
  const changed = state === "changed";
  const words = [record.title, changed && "changed", state === "pinned" && "pinned"].filter(Boolean);
  const classes = [changed && "changed", record.automatic && "automatic"].filter(Boolean);
  return {
    markerEnd: changed ? CHANGED_ARROW : ARROW,
    ...(classes.length > 0 && { className: classes.join(" ") }),
    ...(words.length > 0 && { label: words.join(" · ") }),
  };
}

/** Where links may begin and end: the middle of each side. */
export const SIDES = [Position.Right, Position.Left, Position.Bottom, Position.Top] as const;

/** The sides of two nodes that look at each other, so that a link does not run behind them. */
export function facingSides(source: Place, target: Place): readonly [Position, Position] {
  const right = target.x - (source.x + source.width);
  const left = source.x - (target.x + target.width);
  const below = target.y - (source.y + source.height);
  const above = source.y - (target.y + target.height);
  const widest = Math.max(right, left, below, above);
  if (widest === right) return [Position.Right, Position.Left];
  if (widest === left) return [Position.Left, Position.Right];
  return widest === below ? [Position.Bottom, Position.Top] : [Position.Top, Position.Bottom];
}

/** Given here and not measured from the page, so that links to nodes that are off screen are drawn. */
function handlesFor(width: number, height: number): NodeHandle[] {
  const at: Record<Position, Pick<NodeHandle, "x" | "y">> = {
    [Position.Right]: { x: width, y: height / 2 },
    [Position.Left]: { x: 0, y: height / 2 },
    [Position.Bottom]: { x: width / 2, y: height },
    [Position.Top]: { x: width / 2, y: 0 },
  };
  return SIDES.map((side) => ({ id: side, type: "source", position: side, width: 1, height: 1, ...at[side] }));
}

function isSameEdge(left: Edge, right: Edge): boolean {
  return (
    left.source === right.source &&
    left.target === right.target &&
    left.sourceHandle === right.sourceHandle &&
    left.targetHandle === right.targetHandle &&
    left.selected === right.selected &&
    left.className === right.className &&
    left.label === right.label
  );
}

const KIND_WORDS = { chat: "Chat", sticky: "Note", group: "Group", file: "File" } as const;

function labelFor(record: NodeRecord): string {
  const kind = KIND_WORDS[record.data.kind];
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
