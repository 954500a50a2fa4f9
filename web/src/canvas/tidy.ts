/** Layouts of a canvas: a grid, or by lineage; pure. A group moves as one, with what stands on it. */
import type { EdgeRecord, NodeId, NodeRecord } from "../wire/generated";
import type { Place } from "./drags";
import { boundsOf, standsOn } from "./groups";
import { shownPlace } from "./shownPlace";

export type Layout = "grid" | "lineage";

const GAP = 48;
const LEVEL_GAP = 96;
/** From afar a group's title stands above it. */
const TITLE = 110;

/** What moves as one: a node, or a group with its members. */
interface Unit {
  readonly id: NodeId;
  readonly place: Place;
  readonly members: readonly NodeRecord[];
}

/** New corners of the nodes that have to move; the whole stays where its top left corner was. */
export function tidy(
  layout: Layout,
  records: readonly NodeRecord[],
  edges: readonly EdgeRecord[],
): ReadonlyMap<NodeId, { readonly x: number; readonly y: number }> {
  const units = unitsOf(records);
  const box = boundsOf(units.map((unit) => unit.place));
  const moved = new Map<NodeId, { x: number; y: number }>();
  if (!box) return moved;
  const corners = layout === "grid" ? inGrid(units) : byLineage(units, edges);
  for (const unit of units) {
    const corner = corners.get(unit.id);
    if (!corner) continue;
    const dx = Math.round(box.x + corner.x - unit.place.x);
    const dy = Math.round(box.y + corner.y - unit.place.y);
    if (dx === 0 && dy === 0) continue;
    for (const record of unit.members) moved.set(record.id, { x: record.x + dx, y: record.y + dy });
  }
  return moved;
}

function unitsOf(records: readonly NodeRecord[]): readonly Unit[] {
  // The largest group first: what stands on it, smaller groups included, goes along with it.
  const groups = records
    .filter((record) => record.data.kind === "group")
    .sort((left, right) => right.width * right.height - left.width * left.height);
  const taken = new Set<NodeId>();
  const units: Unit[] = [];
  for (const group of groups) {
    if (taken.has(group.id)) continue;
    const members = records.filter((each) => !taken.has(each.id) && each !== group && standsOn(each, group));
    for (const each of [group, ...members]) taken.add(each.id);
    const place = { x: group.x, y: group.y - TITLE, width: group.width, height: group.height + TITLE };
    units.push({ id: group.id, place, members: [group, ...members] });
  }
  for (const record of records) {
    if (!taken.has(record.id)) units.push({ id: record.id, place: shownPlace(record), members: [record] });
  }
  return units.sort(inReadingOrder);
}

function inReadingOrder(left: Unit, right: Unit): number {
  const sameRow = Math.abs(left.place.y - right.place.y) < 60;
  return (sameRow ? 0 : left.place.y - right.place.y) || left.place.x - right.place.x || (left.id < right.id ? -1 : 1);
}

type Corners = Map<NodeId, { readonly x: number; readonly y: number }>;

/** Rows about as wide as all of it is high, in reading order. */
function inGrid(units: readonly Unit[], top = 0): Corners {
  const area = units.reduce((sum, { place }) => sum + (place.width + GAP) * (place.height + GAP), 0);
  const widest = Math.max(...units.map(({ place }) => place.width));
  const rowWidth = Math.max(widest, Math.sqrt(area) * 1.35);
  const corners: Corners = new Map();
  let [x, y, height] = [0, top, 0];
  for (const { id, place } of units) {
    if (x > 0 && x + place.width > rowWidth) [x, y, height] = [0, y + height + GAP, 0];
    corners.set(id, { x, y });
    x += place.width + GAP;
    height = Math.max(height, place.height);
  }
  return corners;
}

/** What comes from something stands to its right. Families stand in rows; what is joined to nothing stands below. */
function byLineage(units: readonly Unit[], edges: readonly EdgeRecord[]): Corners {
  const unitOf = new Map<NodeId, NodeId>();
  for (const unit of units) for (const member of unit.members) unitOf.set(member.id, unit.id);
  const children = new Map<NodeId, NodeId[]>();
  const parentOf = new Map<NodeId, NodeId>();
  const joined = new Set<NodeId>();
  const ancestors = (id: NodeId): ReadonlySet<NodeId> => {
    const found = new Set<NodeId>();
    for (let at: NodeId | undefined = id; at !== undefined && !found.has(at); at = parentOf.get(at)) found.add(at);
    return found;
  };
  // Ancestry before links: a branch stands beside what it came from.
  const ordered = [...edges].sort((left, right) => Number(right.kind === "lineage") - Number(left.kind === "lineage"));
  for (const edge of ordered) {
    const [source, target] = [unitOf.get(edge.source), unitOf.get(edge.target)];
    if (!source || !target || source === target) continue;
    joined.add(source).add(target);
    if (parentOf.has(target) || ancestors(source).has(target)) continue;
    parentOf.set(target, source);
    children.set(source, [...(children.get(source) ?? []), target]);
  }
  const roots = units.filter((unit) => joined.has(unit.id) && !parentOf.has(unit.id));
  const corners: Corners = new Map();
  const heads = new Map<NodeId, readonly NodeId[]>();
  const place = new Map(units.map((unit) => [unit.id, unit.place]));
  const order = new Map(units.map((unit, index) => [unit.id, index]));

  // Each family by itself, then the families as what is joined to nothing: in rows, side by side.
  const families: Unit[] = [];
  for (const root of roots) {
    const family = familyOf(root.id, children, place, order);
    for (const [id, corner] of family.corners) corners.set(id, corner);
    families.push({ id: root.id, place: { x: 0, y: 0, ...family.size }, members: [] });
    heads.set(root.id, [...family.corners.keys()]);
  }
  const alone = units.filter((unit) => !joined.has(unit.id));
  const inRows = inGrid(families);
  const bottom = Math.max(0, ...families.map(({ id, place: { height } }) => (inRows.get(id)?.y ?? 0) + height + GAP));
  for (const [head, corner] of inRows) {
    for (const id of heads.get(head) ?? []) {
      const own = corners.get(id);
      if (own) corners.set(id, { x: own.x + corner.x, y: own.y + corner.y });
    }
  }
  if (alone.length > 0) for (const [id, corner] of inGrid(alone, bottom)) corners.set(id, corner);
  return corners;
}

interface Family {
  readonly corners: Corners;
  readonly size: { readonly width: number; readonly height: number };
}

/** One family: a column for each generation, each head level with the first of its children. */
function familyOf(
  root: NodeId,
  children: ReadonlyMap<NodeId, readonly NodeId[]>,
  place: ReadonlyMap<NodeId, Place>,
  order: ReadonlyMap<NodeId, number>,
): Family {
  const widths: number[] = [];
  const levels = new Map<NodeId, number>([[root, 0]]);
  const parentOf = new Map<NodeId, NodeId>();
  const walk: NodeId[] = [root];
  const inOrder: NodeId[] = [];
  while (walk.length > 0) {
    const id = walk.pop() as NodeId;
    const level = levels.get(id) ?? 0;
    widths[level] = Math.max(widths[level] ?? 0, place.get(id)?.width ?? 0);
    inOrder.push(id);
    const own = [...(children.get(id) ?? [])].sort((a, b) => (order.get(b) ?? 0) - (order.get(a) ?? 0));
    for (const child of own) {
      levels.set(child, level + 1);
      parentOf.set(child, id);
    }
    walk.push(...own);
  }
  const lefts: number[] = [];
  let left = 0;
  for (const width of widths) {
    lefts.push(left);
    left += width + LEVEL_GAP;
  }
  // A family is as high as its children together, or as its head: counted from the last to the first.
  const heights = new Map<NodeId, number>();
  for (const id of [...inOrder].reverse()) {
    const below = (children.get(id) ?? []).reduce((sum, child) => sum + (heights.get(child) ?? 0) + GAP, -GAP);
    heights.set(id, Math.max(place.get(id)?.height ?? 0, below));
  }
  const corners: Corners = new Map();
  const next = new Map<NodeId, number>();
  for (const id of inOrder) {
    const parent = parentOf.get(id);
    const y = parent === undefined ? 0 : (next.get(parent) ?? 0);
    corners.set(id, { x: lefts[levels.get(id) ?? 0] ?? 0, y });
    next.set(id, y);
    if (parent !== undefined) next.set(parent, y + (heights.get(id) ?? 0) + GAP);
  }
  const last = widths.length - 1;
  return { corners, size: { width: (lefts[last] ?? 0) + (widths[last] ?? 0), height: heights.get(root) ?? 0 } };
}
