/**
 * React Flow with nodes that do nothing, for benchmarks/bench_web.py: as many, as large and with the same elements in
 * them as the canvas it is compared with, and none of its code.
 */
import {
  Background,
  BackgroundVariant,
  Handle,
  MiniMap,
  type Node,
  type NodeTypes,
  Position,
  ReactFlow,
  type Viewport,
} from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { memo } from "react";
import { createRoot } from "react-dom/client";

interface StaticCanvas {
  readonly nodes: readonly { id: string; x: number; y: number; width: number; height: number }[];
  readonly view: Viewport;
  /** What each of the nodes holds. */
  readonly html: string;
}

declare global {
  interface Window {
    showStatic: (canvas: StaticCanvas) => void;
  }
}

const SIDES = [Position.Right, Position.Left, Position.Bottom, Position.Top];
const content = document.createElement("template");

function fill(element: HTMLDivElement | null): void {
  element?.replaceChildren(content.content.cloneNode(true));
}

const nodeTypes: NodeTypes = {
  still: memo(function Still() {
    return (
      <>
        <div ref={fill} style={{ display: "contents" }} />
        {SIDES.map((side) => (
          <Handle key={side} id={side} type="source" position={side} />
        ))}
      </>
    );
  }),
};

window.showStatic = ({ nodes, view, html }) => {
  content.innerHTML = html;
  const still: Node[] = nodes.map(({ id, x, y, width, height }) => ({
    id,
    type: "still",
    position: { x, y },
    width,
    height,
    measured: { width, height },
    data: {},
  }));
  const root = document.getElementById("root");
  if (!root) return;
  createRoot(root).render(
    <div style={{ position: "fixed", inset: 0 }}>
      <ReactFlow
        defaultNodes={still}
        nodeTypes={nodeTypes}
        defaultViewport={view}
        minZoom={0.05}
        maxZoom={3}
        onlyRenderVisibleElements
      >
        <Background variant={BackgroundVariant.Dots} gap={22} size={1.6} />
        <MiniMap style={{ width: 168, height: 112 }} pannable zoomable />
      </ReactFlow>
    </div>,
  );
};
