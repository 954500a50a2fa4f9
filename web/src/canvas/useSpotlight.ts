import { useReactFlow, useStoreApi, type Viewport } from "@xyflow/react";
import { useEffect } from "react";
import { useTalkfield } from "../Talkfield";
import type { NodeId } from "../wire/generated";
import type { Place } from "./drags";
import { moveDuration } from "./motion";
import { shownPlace } from "./shownPlace";
import { CARD_ZOOM } from "./useDistance";

const MARGIN_PX = 16;
/** The bars above and below lie over the canvas. */
const TOP_PX = 66;
const BOTTOM_PX = 64;
const READING_ZOOM = 0.85;

/** Moves the view no further than it takes to see a node that is asked for whole and near, and selects it. */
export function useSpotlight(select: (node: NodeId) => void): void {
  const { mirror, spotlight, visits } = useTalkfield();
  const flow = useReactFlow();
  const store = useStoreApi();
  useEffect(
    () =>
      spotlight.subscribe((id) => {
        const node = mirror.node(id);
        if (!node) return;
        select(id);
        const { width, height } = store.getState();
        const before = flow.getViewport();
        const view = viewOn(shownPlace(node), { width, height }, before);
        if (view.x !== before.x || view.y !== before.y || view.zoom !== before.zoom) visits.leave(before);
        void flow.setViewport(view, { duration: moveDuration() });
      }),
    [spotlight, mirror, flow, store, select, visits],
  );
}

/** `view`, moved so that all of `node` can be read in a window of `size`; pure. */
export function viewOn(
  node: Place,
  size: { readonly width: number; readonly height: number },
  view: Viewport,
): Viewport {
  const room = { width: size.width - 2 * MARGIN_PX, height: size.height - TOP_PX - BOTTOM_PX };
  const fitting = Math.min(1, room.width / node.width, room.height / node.height);
  const tooFar = view.zoom < CARD_ZOOM;
  if (tooFar || node.width * view.zoom > room.width) {
    const zoom = Math.max(CARD_ZOOM, tooFar ? Math.min(READING_ZOOM, fitting) : room.width / node.width);
    return {
      zoom,
      x: size.width / 2 - (node.x + node.width / 2) * zoom,
      y: (size.height + TOP_PX - BOTTOM_PX) / 2 - (node.y + node.height / 2) * zoom,
    };
  }
  const { zoom } = view;
  return {
    zoom,
    x: shifted(view.x, node.x * zoom, node.width * zoom, MARGIN_PX, size.width - MARGIN_PX),
    y: shifted(view.y, node.y * zoom, node.height * zoom, TOP_PX, size.height - BOTTOM_PX),
  };
}

/** `offset`, moved the least that puts `start` to `start + length` between `from` and `to`; its start wins. */
function shifted(offset: number, start: number, length: number, from: number, to: number): number {
  const end = Math.min(offset, to - start - length);
  return Math.max(end, from - start);
}
