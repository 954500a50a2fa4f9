import type { NodeProps } from "@xyflow/react";
import { memo } from "react";
import { useDistance } from "../../canvas/useDistance";
import { TEST_IDS } from "../../testIds";
import type { NodeId } from "../../wire/generated";
import { NodeFrame } from "../NodeFrame";
import { ChatCard } from "./ChatCard";
import { ChatView } from "./ChatView";

/** A chat on the canvas: close up the whole of it, from afar a card. */
export const ChatNode = memo(function ChatNode({ id, selected }: NodeProps) {
  const node = id as NodeId;
  const distance = useDistance();
  return (
    <NodeFrame node={node} kind="chat" selected={selected} testId={TEST_IDS.chatNode} dragAnywhere={distance > 0}>
      {distance === 0 ? <ChatView node={node} /> : <ChatCard node={node} distance={distance} />}
    </NodeFrame>
  );
});
