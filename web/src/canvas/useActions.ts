/** What a person can do to the canvas, for buttons, menus and keys alike. */
import { useReactFlow } from "@xyflow/react";
import { useMemo } from "react";
import { useTalkfield } from "../Talkfield";
import {
  type EdgeId,
  type EdgeRecord,
  NODE_SIZES,
  type NodeData,
  type NodeId,
  type NodeRecord,
} from "../wire/generated";
import type { CopiedNodes } from "./clipboard";
import type { Place } from "./drags";
import { FIT } from "./fit";
import { freePlace, GAP, type Point } from "./freePlace";
import { areaAround, boundsOf, membersOf } from "./groups";
import { moveDuration } from "./motion";
import { isFolded, shownPlace } from "./shownPlace";
import { type Layout, tidy } from "./tidy";

export interface Actions {
  /** A new node: with its corner at `at`, or without one where there is room near the middle of the view. */
  readonly add: (kind: NodeData["kind"], at?: Point, text?: string) => Promise<NodeId | null>;
  readonly selected: () => readonly NodeRecord[];
  readonly closeSelected: () => void;
  readonly duplicateSelected: () => Promise<void>;
  /** What is to be on the clipboard for the selection; null: nothing is selected. */
  readonly copySelected: () => CopiedNodes | null;
  /** Puts copies in the middle of the view, or with their middle at `at`. */
  readonly paste: (copied: CopiedNodes, at?: Point) => Promise<void>;
  /** A group around what is selected. */
  readonly groupSelected: () => Promise<void>;
  /** The selection if it is of several, else everything. */
  readonly tidy: (layout: Layout) => Promise<void>;
  /** Folds the selected chats, or unfolds them where all are folded. */
  readonly foldSelected: () => void;
  readonly fullScreenSelected: () => void;
  /** Lets links whose source has changed deliver anew: the selected ones, those into selected nodes, or all. */
  readonly updateLinks: () => void;
  /** Selects nodes and shows all of them. */
  readonly reveal: (ids: readonly NodeId[]) => void;
  /** Where there is room for much: to the right of everything. */
  readonly besideEverything: () => Point;
  readonly selectAll: () => void;
  readonly fit: () => void;
  readonly zoomBy: (factor: number) => void;
  readonly go: (direction: "back" | "forward") => void;
  readonly travel: (direction: "undo" | "redo") => void;
}

export function useActions(): Actions {
  const { ask, mirror, spotlight, travel, fullScreen, visits, selection } = useTalkfield();
  const flow = useReactFlow();
  return useMemo(() => {
    const middle = (): Point => {
      const pane = document.querySelector(".react-flow")?.getBoundingClientRect();
      return flow.screenToFlowPosition({
        x: pane ? pane.left + pane.width / 2 : 0,
        y: pane ? pane.top + pane.height / 2 : 0,
      });
    };
    const select = (ids: readonly string[]) => selection.set(new Set(ids));
    const selected = (): readonly NodeRecord[] => mirror.nodes().filter((record) => selection.current().has(record.id));
    /** The selection, and what stands on its groups. */
    const withMembers = (): readonly NodeRecord[] => {
      const all = new Set(selected().flatMap((record) => [record.id, ...membersOf(record.id, mirror.nodes(), NONE)]));
      return mirror.nodes().filter((record) => all.has(record.id));
    };
    const chats = () => selected().filter((record) => record.data.kind === "chat");
    const copy = async (nodes: readonly NodeRecord[], dx: number, dy: number) => {
      const ids = nodes.map((node) => node.id);
      const ack = await ask({ do: "duplicateNodes", nodes: ids, dx, dy });
      if (!ack) return;
      await mirror.whenApplied(ack.seq);
      select(ack.made ?? []);
    };
    return {
      add: async (kind, at, text) => {
        const size = NODE_SIZES[kind];
        const place = at ?? freePlace(mirror.nodes(), size, middle());
        const show = spotlight.later();
        const ack = await ask({ do: "addNode", kind, x: place.x, y: place.y, ...(text ? { text } : {}) });
        const node = (ack?.made?.[0] ?? null) as NodeId | null;
        if (ack && node) {
          await mirror.whenApplied(ack.seq);
          if (text) select([node]);
          else show(node);
        }
        return node;
      },
      selected,
      closeSelected: () => {
        const nodes = selected();
        const edges = flow.getEdges().filter((edge) => edge.selected);
        if (nodes.length > 0) void ask({ do: "removeNodes", nodes: nodes.map((node) => node.id) });
        else if (edges.length > 0) void ask({ do: "removeEdges", edges: edges.map((edge) => edge.id as EdgeId) });
      },
      duplicateSelected: async () => {
        const nodes = withMembers();
        const box = boundsOf(nodes.map((node) => shownPlace(node)));
        if (!box) return;
        const wanted = { x: box.x + box.width + GAP + box.width / 2, y: box.y + box.height / 2 };
        const corner = freePlace(
          mirror.nodes().map((node) => shownPlace(node)),
          box,
          wanted,
        );
        await copy(nodes, corner.x - box.x, corner.y - box.y);
      },
      copySelected: () => {
        const { project } = mirror.server;
        const nodes = withMembers();
        const box = boundsOf(nodes.map((node) => shownPlace(node)));
        return project && box ? { project, nodes: nodes.map((node) => node.id), box } : null;
      },
      paste: async ({ project, nodes, box }, at) => {
        const corner = freePlace(taken(mirror.nodes(), at), box, at ?? middle());
        const [dx, dy] = [Math.round(corner.x - box.x), Math.round(corner.y - box.y)];
        const ack = await ask({ do: "duplicateNodes", nodes: [...nodes], dx, dy, project, why: "paste" });
        if (!ack) return;
        await mirror.whenApplied(ack.seq);
        select(ack.made ?? []);
      },
      groupSelected: async () => {
        const area = areaAround(selected().map((node) => shownPlace(node)));
        if (!area) return;
        const ack = await ask({ do: "addNode", kind: "group", ...area });
        if (!ack) return;
        await mirror.whenApplied(ack.seq);
        select(ack.made ?? []);
      },
      tidy: async (layout) => {
        const chosen = withMembers();
        const records = selected().length > 1 ? chosen : mirror.nodes();
        const moved = tidy(layout, records, mirror.edges());
        const places = [...moved].map(([id, corner]) => ({ id, ...corner }));
        if (places.length === 0) return;
        const ack = await ask({ do: "placeNodes", places, why: "tidy" });
        if (!ack) return;
        await mirror.whenApplied(ack.seq);
        if (selected().length < 2) {
          visits.leave(flow.getViewport());
          void flow.fitView({ ...FIT, duration: moveDuration() });
        }
      },
      foldSelected: () => {
        const nodes = chats();
        if (nodes.length === 0) return;
        const folded = !nodes.every(isFolded);
        void ask({ do: "foldChats", nodes: nodes.map((node) => node.id), folded });
      },
      fullScreenSelected: () => {
        const [chat] = chats();
        if (chat) fullScreen.show(chat.id);
      },
      updateLinks: () => {
        const changed = mirror.linkStatuses().filter((status) => status.state === "changed");
        const chosen = new Set(flow.getEdges().flatMap((edge) => (edge.selected ? [edge.id] : [])));
        const into = new Set<string>(selected().map((node) => node.id));
        const isMeant = (edge: EdgeRecord) =>
          chosen.size > 0 ? chosen.has(edge.id) : into.size === 0 || into.has(edge.target);
        const links = mirror.edges().filter((edge) => changed.some((each) => each.edgeId === edge.id) && isMeant(edge));
        for (const link of links) void ask({ do: "runLink", edge: link.id });
      },
      reveal: (ids) => {
        select(ids);
        const shown = mirror.nodes().filter((node) => ids.includes(node.id));
        const box = boundsOf(shown.map((node) => shownPlace(node)));
        if (!box) return;
        visits.leave(flow.getViewport());
        void flow.fitBounds(box, { padding: 0.12, duration: moveDuration() });
      },
      besideEverything: () => {
        const box = boundsOf(mirror.nodes().map((node) => shownPlace(node)));
        return box ? { x: box.x + box.width + 2 * GAP, y: box.y } : { x: 0, y: 0 };
      },
      selectAll: () => select(mirror.nodes().map((node) => node.id)),
      fit: () => {
        visits.leave(flow.getViewport());
        void flow.fitView({ ...FIT, duration: moveDuration() });
      },
      zoomBy: (factor) => void flow.zoomTo(flow.getZoom() * factor, { duration: moveDuration() }),
      go: (direction) => {
        const view = visits[direction](flow.getViewport());
        if (view) void flow.setViewport(view, { duration: moveDuration() });
      },
      travel: (direction) => void travel(direction),
    };
  }, [ask, mirror, spotlight, travel, flow, fullScreen, visits, selection]);
}

const NONE: ReadonlyMap<NodeId, Place> = new Map();

/** At a place that was pointed at, copies may lie over what is there. */
function taken(nodes: readonly NodeRecord[], at: Point | undefined): readonly Place[] {
  return at ? [] : nodes.map((node) => shownPlace(node));
}
