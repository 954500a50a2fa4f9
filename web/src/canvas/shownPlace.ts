import type { NodeRecord } from "../wire/generated";
import type { Place } from "./drags";

/** How high a folded chat is, in canvas pixels: its header. */
export const FOLDED_HEIGHT = 70;

export function isFolded(record: NodeRecord): boolean {
  return record.data.kind === "chat" && record.data.folded === true;
}

/** Where a node is seen: folded, it is as high as its header, and its record keeps the height it will have again. */
export function shownPlace(record: NodeRecord, place: Place = record): Place {
  return isFolded(record) ? { x: place.x, y: place.y, width: place.width, height: FOLDED_HEIGHT } : place;
}
