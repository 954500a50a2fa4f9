/** What a person can do to the canvas, for buttons, menus and keys alike. */
import { useReactFlow } from "@xyflow/react";
import { useMemo } from "react";
import { useTalkfield } from "../Talkfield";
import { type EdgeId, NODE_SIZES, type NodeData, type NodeId } from "../wire/generated";
import { freePlace, type Point } from "./freePlace";
import { moveDuration } from "./motion";

export interface Actions {
  /** A new node: with its corner at `at`, or without one where there is room near the middle of the view. */
  readonly add: (kind: NodeData["kind"], at?: Point) => Promise<NodeId | null>;
  readonly closeSelected: () => void;
  readonly fit: () => void;
  readonly zoomBy: (factor: number) => void;
  readonly travel: (direction: "undo" | "redo") => void;
}

export function useActions(): Actions {
  const { ask, mirror, spotlight, travel } = useTalkfield();
  const flow = useReactFlow();
  return useMemo(
    () => ({
      add: async (kind, at) => {
        const size = NODE_SIZES[kind];
        const pane = document.querySelector(".react-flow")?.getBoundingClientRect();
        const middle = flow.screenToFlowPosition({
          x: pane ? pane.left + pane.width / 2 : 0,
          y: pane ? pane.top + pane.height / 2 : 0,
        });
        const place = at ?? freePlace(mirror.nodes(), size, middle);
        const ack = await ask({ do: "addNode", kind, x: place.x, y: place.y });
        const node = (ack?.made?.[0] ?? null) as NodeId | null;
        if (ack && node) {
          await mirror.whenApplied(ack.seq);
          spotlight.show(node);
        }
        return node;
      },
      closeSelected: () => {
        const nodes = flow.getNodes().filter((node) => node.selected);
        const edges = flow.getEdges().filter((edge) => edge.selected);
        if (nodes.length > 0) void ask({ do: "removeNodes", nodes: nodes.map((node) => node.id as NodeId) });
        else if (edges.length > 0) void ask({ do: "removeEdges", edges: edges.map((edge) => edge.id as EdgeId) });
      },
      fit: () => void flow.fitView({ padding: 0.12, maxZoom: 1, duration: moveDuration() }),
      zoomBy: (factor) => void flow.zoomTo(flow.getZoom() * factor, { duration: moveDuration() }),
      travel: (direction) => void travel(direction),
    }),
    [ask, mirror, spotlight, travel, flow],
  );
}
