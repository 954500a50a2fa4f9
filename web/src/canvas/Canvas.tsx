import {
  Background,
  BackgroundVariant,
  ConnectionMode,
  type Edge,
  type EdgeChange,
  type NodeChange,
  ReactFlow,
  SelectionMode,
  useReactFlow,
  useStoreApi,
} from "@xyflow/react";
import {
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { LinkInspector, type LinkPlace } from "../links/LinkInspector";
import { useLinkStatuses } from "../links/useLink";
import { useEdges, useNodes, useServer } from "../mirror/hooks";
import { NODE_VIEWS } from "../nodes/views";
import { useTalkfield } from "../Talkfield";
import { TEST_IDS } from "../testIds";
import { isPhone } from "../ui/useNarrow";
import type { EdgeId, NodeId } from "../wire/generated";
import styles from "./Canvas.module.css";
import { CanvasMap } from "./CanvasMap";
import { CanvasMenu, type MenuPlace } from "./CanvasMenu";
import { FIT } from "./fit";
import { selectedAfter } from "./fromFlow";
import { Guides } from "./Guides";
import { savedView, saveView } from "./savedView";
import { type FlowNode, toFlowEdges, toFlowNodes } from "./toFlow";
import { useActions } from "./useActions";
import { useCanvasDrop } from "./useCanvasDrop";
import { useGestures } from "./useGestures";
import { useLinking } from "./useLinking";
import { useLongPress } from "./useLongPress";
import { useSpotlight } from "./useSpotlight";
import { ZoomBar } from "./ZoomBar";

const NO_NODES: readonly FlowNode[] = [];
const NO_EDGES: readonly Edge[] = [];
const NONE: ReadonlySet<string> = new Set();

/** The canvas: wiring between the mirror and React Flow, and nothing else. */
export function Canvas() {
  const { drags, fullScreen, mirror, selection } = useTalkfield();
  const actions = useActions();
  const records = useNodes();
  const edgeRecords = useEdges();
  const linkStatuses = useLinkStatuses();
  const linkStates = useMemo(
    () => new Map(linkStatuses.map((status) => [status.edgeId, status.state])),
    [linkStatuses],
  );
  const places = useSyncExternalStore(drags.subscribe, drags.current);
  const selected = useSyncExternalStore(selection.subscribe, selection.current);
  const [selectedEdges, setSelectedEdges] = useState(NONE);
  const [link, setLink] = useState<LinkPlace | null>(null);
  const [menu, setMenu] = useState<MenuPlace | null>(null);
  const flow = useReactFlow();
  const store = useStoreApi();
  const gestures = useGestures();
  const drop = useCanvasDrop();
  const linking = useLinking();
  const longPress = useLongPress();

  // What was drawn last is only a source of identities: the result is the same without it.
  const lastNodes = useRef(NO_NODES);
  const lastEdges = useRef(NO_EDGES);
  lastNodes.current = toFlowNodes(records, places, selected, lastNodes.current);
  lastEdges.current = toFlowEdges(edgeRecords, records, places, selectedEdges, lastEdges.current, linkStates);

  const select = useCallback((node: NodeId) => selection.set(new Set([node])), [selection]);
  useSpotlight(select);
  useViewOfProject();

  // A box drawn on a group is about what stands there; the group itself is in it when all of it is.
  const isMeant = useCallback(
    (change: NodeChange<FlowNode>) => {
      const box = store.getState().userSelectionRect;
      const group = change.type === "select" && change.selected ? mirror.node(change.id as NodeId) : undefined;
      if (!box || group?.data.kind !== "group") return true;
      const [x, y, zoom] = store.getState().transform;
      const [left, top] = [group.x * zoom + x, group.y * zoom + y];
      const [right, bottom] = [left + group.width * zoom, top + group.height * zoom];
      return left >= box.x && top >= box.y && right <= box.x + box.width && bottom <= box.y + box.height;
    },
    [store, mirror],
  );
  const onNodesChange = useCallback(
    (changes: NodeChange<FlowNode>[]) => {
      selection.set(selectedAfter(changes.filter(isMeant), selection.current()));
      gestures.onNodesChange(changes);
    },
    [gestures.onNodesChange, selection, isMeant],
  );
  const onEdgesChange = useCallback(
    (changes: EdgeChange[]) => setSelectedEdges((before) => selectedAfter(changes, before)),
    [],
  );
  const onEdgeClick = (event: MouseEvent, edge: Edge) =>
    setLink({ edge: edge.id as EdgeId, point: { x: event.clientX, y: event.clientY } });
  /** A line that has the focus is opened as one that is clicked. */
  const onKeyDown = (event: KeyboardEvent) => {
    const edge = event.key === "Enter" && event.target instanceof Element && event.target.closest(".react-flow__edge");
    if (!edge) return;
    const box = edge.getBoundingClientRect();
    const point = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    setLink({ edge: (edge.getAttribute("data-id") ?? "") as EdgeId, point });
  };

  const onPaneContextMenu = (event: MouseEvent | globalThis.MouseEvent) => {
    event.preventDefault();
    const point = { x: event.clientX, y: event.clientY };
    setMenu({ point, at: flow.screenToFlowPosition(point), selected: [] });
  };
  const onNodeContextMenu = (event: MouseEvent, node: FlowNode) => {
    // Inside a node the browser's own menu has what is needed there: copy, paste, spelling.
    if (event.target instanceof Element && event.target.closest(".nokey")) return;
    event.preventDefault();
    const point = { x: event.clientX, y: event.clientY };
    // A right click on one of several that are selected is about them all.
    const ids = selected.has(node.id) ? selected : new Set([node.id]);
    selection.set(ids);
    setMenu({ point, at: flow.screenToFlowPosition(point), selected: [...ids] as NodeId[] });
  };
  const onSelectionContextMenu = (event: MouseEvent) => {
    event.preventDefault();
    const point = { x: event.clientX, y: event.clientY };
    setMenu({ point, at: flow.screenToFlowPosition(point), selected: [...selected] as NodeId[] });
  };
  const onNodeClick = (_event: MouseEvent, node: FlowNode) => {
    if (isPhone() && node.type === "chat") fullScreen.show(node.id as NodeId);
  };
  const onDoubleClick = (event: MouseEvent) => {
    if (!(event.target instanceof Element) || !event.target.classList.contains("react-flow__pane")) return;
    const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    void actions.add("chat", { x: Math.round(at.x - 60), y: Math.round(at.y - 24) });
  };

  return (
    <main className={styles.canvas} data-testid={TEST_IDS.canvas} aria-label="Canvas" {...drop} {...longPress}>
      <ReactFlow
        nodes={lastNodes.current as FlowNode[]}
        edges={lastEdges.current as Edge[]}
        nodeTypes={NODE_VIEWS}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        {...linking}
        onEdgeClick={onEdgeClick}
        onKeyDown={onKeyDown}
        onPaneContextMenu={onPaneContextMenu}
        onNodeContextMenu={onNodeContextMenu}
        onSelectionContextMenu={onSelectionContextMenu}
        onNodeClick={onNodeClick}
        onNodeDrag={gestures.onNodeDrag}
        onDoubleClick={onDoubleClick}
        minZoom={0.05}
        maxZoom={3}
        zoomOnDoubleClick={false}
        selectionMode={SelectionMode.Partial}
        selectNodesOnDrag={false}
        deleteKeyCode={null}
        connectionMode={ConnectionMode.Loose}
        connectionRadius={60}
        onlyRenderVisibleElements
        attributionPosition="bottom-center"
        ariaLabelConfig={{
          "node.a11yDescription.default":
            "Press Enter to go into the node, Space to select it. Arrow keys move a selected node, Delete closes it.",
        }}
      >
        <Background variant={BackgroundVariant.Dots} gap={22} size={1.6} color="var(--canvas-dot)" />
        <Guides guides={gestures.guides} />
        <ZoomBar />
        <CanvasMap />
      </ReactFlow>
      <LinkInspector place={link} onClose={() => setLink(null)} />
      <CanvasMenu place={menu} onClose={() => setMenu(null)} />
    </main>
  );
}

/** Shows a project as it was left, or whole at the first visit; and remembers where it is looked at. */
function useViewOfProject(): void {
  const { mirror, visits } = useTalkfield();
  const { project } = useServer();
  const flow = useReactFlow();
  useEffect(() => {
    if (!project) return;
    visits.clear();
    const view = savedView(project);
    if (view) void flow.setViewport(view);
    else if (mirror.nodes().length > 0) void flow.fitView(FIT);
    else void flow.setViewport({ x: 0, y: 0, zoom: 1 });
    const keep = () => saveView(project, flow.getViewport());
    const timer = setInterval(keep, 2_000);
    window.addEventListener("pagehide", keep);
    return () => {
      clearInterval(timer);
      window.removeEventListener("pagehide", keep);
    };
  }, [project, flow, mirror, visits]);
}
