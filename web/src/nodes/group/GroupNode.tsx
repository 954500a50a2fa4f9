import type { NodeProps } from "@xyflow/react";
import { memo } from "react";
import { useDistance } from "../../canvas/useDistance";
import { TEST_IDS } from "../../testIds";
import type { NodeId } from "../../wire/generated";
import { NodeFrame } from "../NodeFrame";
import { GroupView } from "./GroupView";
import styles from "./GroupView.module.css";

/** A titled area: what stands on it moves with it. */
export const GroupNode = memo(function GroupNode({ id, selected }: NodeProps) {
  const node = id as NodeId;
  const distance = useDistance();
  return (
    <NodeFrame
      node={node}
      kind="group"
      selected={selected}
      testId={TEST_IDS.groupNode}
      dragAnywhere={false}
      className={styles.frame}
    >
      <GroupView node={node} distance={distance} />
    </NodeFrame>
  );
});
