/** How far the reader is from the canvas, in steps, so that a zoom renders nodes only when a step is passed. */
import { useStore } from "@xyflow/react";

/** Below this zoom a chat is a card (U7). */
export const CARD_ZOOM = 0.45;

export type Distance = 0 | 1 | 2 | 3;

export function distanceAt(zoom: number): Distance {
  if (zoom >= CARD_ZOOM) return 0;
  if (zoom >= 0.26) return 1;
  return zoom >= 0.14 ? 2 : 3;
}

export function useDistance(): Distance {
  return useStore((store) => distanceAt(store.transform[2]));
}
