/** Lines that a moving node comes to stand on: edges and middles of nodes near it; pure. */
import type { Place } from "./drags";

/** A line on the canvas, from the one node to the other. */
export interface Guide {
  readonly axis: "x" | "y";
  /** Where it is on that axis. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export interface Alignment {
  readonly dx: number;
  readonly dy: number;
  readonly guides: readonly Guide[];
}

const NOTHING: Alignment = { dx: 0, dy: 0, guides: [] };

/** How far `moving` has to shift to stand in line with one of `others`, at most `tolerance` in each direction. */
export function alignment(moving: Place, others: readonly Place[], tolerance: number): Alignment {
  if (others.length === 0) return NOTHING;
  const dx = nearest(lines(moving.x, moving.width), others, (other) => lines(other.x, other.width), tolerance);
  const dy = nearest(lines(moving.y, moving.height), others, (other) => lines(other.y, other.height), tolerance);
  const shifted = { ...moving, x: moving.x + (dx ?? 0), y: moving.y + (dy ?? 0) };
  const guides: Guide[] = [];
  if (dx !== null) guides.push(...guidesOn("x", shifted, others));
  if (dy !== null) guides.push(...guidesOn("y", shifted, others));
  return { dx: dx ?? 0, dy: dy ?? 0, guides };
}

/** Start, middle and end. */
function lines(start: number, length: number): readonly [number, number, number] {
  return [start, start + length / 2, start + length];
}

function nearest(
  own: readonly number[],
  others: readonly Place[],
  linesOf: (other: Place) => readonly number[],
  tolerance: number,
): number | null {
  let best: number | null = null;
  for (const other of others) {
    for (const line of linesOf(other)) {
      for (const mine of own) {
        const shift = line - mine;
        if (Math.abs(shift) <= tolerance && (best === null || Math.abs(shift) < Math.abs(best))) best = shift;
      }
    }
  }
  return best;
}

function guidesOn(axis: "x" | "y", moving: Place, others: readonly Place[]): readonly Guide[] {
  const along = axis === "x" ? lines(moving.x, moving.width) : lines(moving.y, moving.height);
  const [start, end] = axis === "x" ? [moving.y, moving.y + moving.height] : [moving.x, moving.x + moving.width];
  const found = new Map<number, Guide>();
  for (const other of others) {
    const theirs = axis === "x" ? lines(other.x, other.width) : lines(other.y, other.height);
    const [first, last] = axis === "x" ? [other.y, other.y + other.height] : [other.x, other.x + other.width];
    for (const at of along) {
      if (!theirs.some((line) => Math.abs(line - at) < 0.5)) continue;
      const known = found.get(at);
      const from = Math.min(start, first, known?.from ?? Infinity);
      const to = Math.max(end, last, known?.to ?? -Infinity);
      found.set(at, { axis, at, from, to });
    }
  }
  return [...found.values()];
}
