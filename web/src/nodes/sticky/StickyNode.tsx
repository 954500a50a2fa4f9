import type { NodeProps } from "@xyflow/react";
import { memo } from "react";
import { useDistance } from "../../canvas/useDistance";
import { TEST_IDS } from "../../testIds";
import type { NodeId } from "../../wire/generated";
import { NodeFrame } from "../NodeFrame";
import { StickyView } from "./StickyView";

/** A note on the canvas. */
export const StickyNode = memo(function StickyNode({ id, selected }: NodeProps) {
  const node = id as NodeId;
  const distance = useDistance();
  return (
    <NodeFrame node={node} kind="sticky" selected={selected} testId={TEST_IDS.stickyNode} dragAnywhere={distance > 0}>
      <StickyView node={node} far={distance > 0} />
    </NodeFrame>
  );
});
