import { useReactFlow, useStoreApi } from "@xyflow/react";
import { useEffect } from "react";
import { useTalkfield } from "../Talkfield";
import type { NodeId } from "../wire/generated";
import { moveDuration } from "./motion";
import { CARD_ZOOM } from "./useDistance";

const MARGIN_PX = 12;
const READING_ZOOM = 0.85;

/** Moves the view to a node that is asked for, unless it is readable where it is, and selects it. */
export function useSpotlight(select: (node: NodeId) => void): void {
  const { mirror, spotlight } = useTalkfield();
  const flow = useReactFlow();
  const store = useStoreApi();
  useEffect(
    () =>
      spotlight.subscribe((id) => {
        const node = mirror.node(id);
        if (!node) return;
        select(id);
        const { width, height } = store.getState();
        const { x, y, zoom } = flow.getViewport();
        const left = node.x * zoom + x;
        const top = node.y * zoom + y;
        const visible =
          zoom >= CARD_ZOOM &&
          left >= MARGIN_PX &&
          top >= MARGIN_PX &&
          left + node.width * zoom <= width - MARGIN_PX &&
          top + node.height * zoom <= height - MARGIN_PX;
        if (visible) return;
        const fitting = Math.min(1, (width - 40) / node.width, (height - 110) / node.height);
        const wanted = zoom >= CARD_ZOOM ? zoom : READING_ZOOM;
        void flow.setCenter(node.x + node.width / 2, node.y + node.height / 2, {
          zoom: Math.max(CARD_ZOOM, Math.min(wanted, fitting)),
          duration: moveDuration(),
        });
      }),
    [spotlight, mirror, flow, store, select],
  );
}
