/** Where a new node fits: as near as possible to where it is wanted, over nothing else, in line with others; pure. */
import type { Place } from "./drags";

/** Room between neighbours, in canvas pixels. */
export const GAP = 32;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Top left corner for a node of `size` whose middle is wanted at `middle`. Where that is taken, the nearest free place
 * beside, above or below a node that is there, so that rows and columns come about by themselves.
 */
export function freePlace(taken: readonly Place[], size: Size, middle: Point): Point {
  const wanted = { x: Math.round(middle.x - size.width / 2), y: Math.round(middle.y - size.height / 2) };
  const isFree = (point: Point) => !taken.some((place) => overlaps({ ...point, ...size }, place));
  if (isFree(wanted)) return wanted;
  const distance = (point: Point) => Math.hypot(point.x - wanted.x, point.y - wanted.y);
  const beside = taken.flatMap((place) => neighbours(place, size)).filter(isFree);
  return beside.reduce((best, point) => (distance(point) < distance(best) ? point : best), beside[0] ?? wanted);
}

/** In the order one reads; of two that are as near, the first is taken. */
function neighbours(place: Place, size: Size): readonly Point[] {
  return [
    { x: place.x + place.width + GAP, y: place.y },
    { x: place.x, y: place.y + place.height + GAP },
    { x: place.x - size.width - GAP, y: place.y },
    { x: place.x, y: place.y - size.height - GAP },
  ];
}

function overlaps(left: Place, right: Place): boolean {
  return (
    left.x < right.x + right.width + GAP / 2 &&
    right.x < left.x + left.width + GAP / 2 &&
    left.y < right.y + right.height + GAP / 2 &&
    right.y < left.y + left.height + GAP / 2
  );
}
