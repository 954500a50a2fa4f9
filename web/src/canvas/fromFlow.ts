/** React Flow's changes as ours: places in progress, gestures that ended; and the selection; pure. */
import type { EdgeChange, NodeChange } from "@xyflow/react";
import type { NodeId } from "../wire/generated";
import type { Place, Places } from "./drags";

export interface Gesture {
  /** Places to lay over the records. */
  readonly places: Places;
  /** Nodes whose gesture is over: their places are to be sent. */
  readonly finished: readonly NodeId[];
}

/** `placeOf` is where a node is drawn now. Sizes that React Flow has measured are ignored: the records know them. */
export function fromFlow(changes: readonly NodeChange[], placeOf: (id: NodeId) => Place | undefined): Gesture {
  const places = new Map<NodeId, Place>();
  const finished = new Set<NodeId>();
  for (const change of changes) {
    if (change.type !== "position" && change.type !== "dimensions") continue;
    const id = change.id as NodeId;
    const place = places.get(id) ?? placeOf(id);
    if (!place) continue;
    if (change.type === "position") {
      if (change.position) places.set(id, { ...place, ...rounded(change.position) });
      // Absent while a corner is dragged: then the gesture ends with its size.
      if (change.dragging === false) finished.add(id);
    } else if (change.resizing !== undefined) {
      if (change.dimensions) {
        const { width, height } = change.dimensions;
        places.set(id, { ...place, width: Math.round(width), height: Math.round(height) });
      }
      if (!change.resizing) finished.add(id);
    }
  }
  return { places, finished: [...finished] };
}

/** The selection after `changes`; the very set that was given when nothing changed. */
export function selectedAfter(
  changes: readonly (NodeChange | EdgeChange)[],
  selected: ReadonlySet<string>,
): ReadonlySet<string> {
  const next = new Set(selected);
  for (const change of changes) {
    if (change.type !== "select") continue;
    if (change.selected) next.add(change.id);
    else next.delete(change.id);
  }
  const same = next.size === selected.size && [...next].every((id) => selected.has(id));
  return same ? selected : next;
}

function rounded({ x, y }: { readonly x: number; readonly y: number }): { readonly x: number; readonly y: number } {
  return { x: Math.round(x), y: Math.round(y) };
}
