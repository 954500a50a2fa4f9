/** Where a new node fits: as near as possible to where it is wanted, over nothing else; pure. */
import type { Place } from "./drags";

const GAP = 24;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Top left corner for a node of `size` whose middle is wanted at `middle`; rings of tries, nearest first. */
export function freePlace(
  taken: readonly Place[],
  size: { readonly width: number; readonly height: number },
  middle: Point,
): Point {
  const start = { x: Math.round(middle.x - size.width / 2), y: Math.round(middle.y - size.height / 2) };
  const stepX = (size.width + GAP) / 2;
  const stepY = (size.height + GAP) / 2;
  for (let ring = 0; ring <= 40; ring++) {
    const tries: { readonly point: Point; readonly distance: number }[] = [];
    for (let right = -ring; right <= ring; right++) {
      for (let down = -ring; down <= ring; down++) {
        if (Math.max(Math.abs(right), Math.abs(down)) !== ring) continue;
        const point = { x: Math.round(start.x + right * stepX), y: Math.round(start.y + down * stepY) };
        // To the right before below, below before to the left: the way one reads.
        tries.push({
          point,
          distance: Math.hypot(right * stepX, down * stepY) + (right < 0 ? 2 : 0) + (down < 0 ? 1 : 0),
        });
      }
    }
    tries.sort((left, right) => left.distance - right.distance);
    const free = tries.find(({ point }) => !taken.some((place) => overlaps({ ...point, ...size }, place)));
    if (free) return free.point;
  }
  return start;
}

function overlaps(left: Place, right: Place): boolean {
  return (
    left.x < right.x + right.width + GAP / 2 &&
    right.x < left.x + left.width + GAP / 2 &&
    left.y < right.y + right.height + GAP / 2 &&
    right.y < left.y + left.height + GAP / 2
  );
}
