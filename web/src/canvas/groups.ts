/** Which nodes stand on a group: a matter of places alone (core/nodes/group.py); pure. */
import type { NodeId, NodeRecord } from "../wire/generated";
import type { Place, Places } from "./drags";

/** Nodes whose middle is on the group, but for those that are too large to stand on it: another group around it. */
export function membersOf(group: NodeId, records: readonly NodeRecord[], places: Places): readonly NodeId[] {
  const own = records.find((record) => record.id === group);
  if (own?.data.kind !== "group") return [];
  const area = places.get(group) ?? own;
  return records
    .filter((record) => record.id !== group && standsOn(places.get(record.id) ?? record, area))
    .map((record) => record.id);
}

export function standsOn(place: Place, area: Place): boolean {
  const x = place.x + place.width / 2;
  const y = place.y + place.height / 2;
  const inside = x >= area.x && x <= area.x + area.width && y >= area.y && y <= area.y + area.height;
  return inside && place.width * place.height < area.width * area.height;
}

const PADDING = 32;
const TITLE_ROOM = 56;

/** The area of a group around `places`. */
export function areaAround(places: readonly Place[]): Place | null {
  const box = boundsOf(places);
  if (!box) return null;
  return {
    x: box.x - PADDING,
    y: box.y - TITLE_ROOM,
    width: box.width + 2 * PADDING,
    height: box.height + TITLE_ROOM + PADDING,
  };
}

export function boundsOf(places: readonly Place[]): Place | null {
  if (places.length === 0) return null;
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const place of places) {
    left = Math.min(left, place.x);
    top = Math.min(top, place.y);
    right = Math.max(right, place.x + place.width);
    bottom = Math.max(bottom, place.y + place.height);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Remembers, while a group moves, what stood on it when that began: it takes them along, and nothing it passes over. */
export class Carrying {
  private readonly carried = new Map<NodeId, readonly NodeId[]>();

  /** The places that `moved` groups' members have, and the groups' own; what is moved by itself is left alone. */
  along(moved: Places, before: Places, records: readonly NodeRecord[]): Places {
    const places = new Map(moved);
    for (const [id, place] of moved) {
      const record = records.find((each) => each.id === id);
      if (record?.data.kind !== "group") continue;
      const from = before.get(id) ?? record;
      if (place.width !== from.width || place.height !== from.height) continue;
      const members = this.carried.get(id) ?? membersOf(id, records, before);
      this.carried.set(id, members);
      for (const member of members) {
        if (places.has(member)) continue;
        const own = before.get(member) ?? records.find((each) => each.id === member);
        if (!own) continue;
        const { width, height } = own;
        places.set(member, { x: own.x + place.x - from.x, y: own.y + place.y - from.y, width, height });
      }
    }
    return places;
  }

  /** The gesture of these nodes is over; gives them with what they carried. */
  end(finished: readonly NodeId[]): readonly NodeId[] {
    const all = new Set(finished);
    for (const id of finished) {
      for (const member of this.carried.get(id) ?? []) all.add(member);
      this.carried.delete(id);
    }
    return [...all];
  }
}
