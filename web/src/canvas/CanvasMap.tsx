import { MiniMap } from "@xyflow/react";
import { useMemo } from "react";
import { useNodes, useRuns } from "../mirror/hooks";
import styles from "./CanvasMap.module.css";
import type { FlowNode } from "./toFlow";

/** The whole canvas in small: chats that answer and chats that wait for you stand out (U7). */
export function CanvasMap() {
  const runs = useRuns();
  const count = useNodes().length;
  const classOf = useMemo(() => {
    const phases = new Map<string, string>(runs.map((run) => [run.nodeId, run.phase]));
    return (node: FlowNode): string => {
      const phase = phases.get(node.id);
      if (phase === "awaiting") return styles.waiting ?? "";
      if (phase) return styles.live ?? "";
      const byKind = { chat: styles.idle, sticky: styles.sticky, group: styles.group, file: styles.file };
      return byKind[node.type ?? "chat"] ?? "";
    };
  }, [runs]);
  if (count === 0) return null;
  return (
    <MiniMap<FlowNode>
      className={styles.map ?? ""}
      style={{ width: 168, height: 112 }}
      nodeClassName={classOf}
      nodeBorderRadius={24}
      pannable
      zoomable
      ariaLabel="Map of the canvas"
    />
  );
}
