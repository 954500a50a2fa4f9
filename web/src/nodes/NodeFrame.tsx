import { Handle, NodeResizer } from "@xyflow/react";
import type { ReactNode } from "react";
import { DRAG_HANDLE, SIDES } from "../canvas/toFlow";
import { names } from "../ui/names";
import { NODE_SIZES, type NodeData, type NodeId } from "../wire/generated";
import styles from "./NodeFrame.module.css";

interface NodeFrameProps {
  readonly node: NodeId;
  readonly kind: NodeData["kind"];
  readonly selected: boolean | undefined;
  readonly testId: string;
  /** The whole node is its handle: from afar there is no header to take it by. */
  readonly dragAnywhere: boolean;
  /** It keeps its size. */
  readonly fixed?: boolean;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** What every node on the canvas has: a frame, edges to resize it by, and ends for links. */
export function NodeFrame({
  node,
  kind,
  selected = false,
  testId,
  dragAnywhere,
  fixed = false,
  className,
  children,
}: NodeFrameProps) {
  const { minWidth, minHeight } = NODE_SIZES[kind];
  return (
    <>
      <div
        className={names(styles.frame, selected && styles.selected, dragAnywhere && DRAG_HANDLE, className)}
        data-testid={testId}
        data-node-id={node}
      >
        {children}
      </div>
      <NodeResizer
        isVisible={!fixed && (!dragAnywhere || selected)}
        minWidth={minWidth}
        minHeight={minHeight}
        lineClassName={styles.resizeLine ?? ""}
        handleClassName={styles.resizeHandle ?? ""}
      />
      {SIDES.map((side) => (
        <Handle key={side} id={side} type="source" position={side} className={styles.handle ?? ""} />
      ))}
    </>
  );
}
