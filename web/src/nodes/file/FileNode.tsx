import type { NodeProps } from "@xyflow/react";
import { memo } from "react";
import { useDistance } from "../../canvas/useDistance";
import { TEST_IDS } from "../../testIds";
import type { NodeId } from "../../wire/generated";
import { NodeFrame } from "../NodeFrame";
import { FileView } from "./FileView";

/** A file of the project on the canvas. */
export const FileNode = memo(function FileNode({ id, selected }: NodeProps) {
  const node = id as NodeId;
  const distance = useDistance();
  return (
    <NodeFrame node={node} kind="file" selected={selected} testId={TEST_IDS.fileNode} dragAnywhere={distance > 0}>
      <FileView node={node} far={distance > 0} />
    </NodeFrame>
  );
});
