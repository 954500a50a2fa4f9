import type { NodeProps } from "@xyflow/react";
import { memo } from "react";
import { isFolded } from "../../canvas/shownPlace";
import { useDistance } from "../../canvas/useDistance";
import { useFullScreen } from "../../canvas/useFullScreen";
import { useNode } from "../../mirror/hooks";
import { TEST_IDS } from "../../testIds";
import { PHONE_PX, useNarrow } from "../../ui/useNarrow";
import type { NodeId } from "../../wire/generated";
import { NodeFrame } from "../NodeFrame";
import { Arriving } from "./Arriving";
import { ChatCard } from "./ChatCard";
import { ChatView } from "./ChatView";
import { FoldedCard } from "./FoldedCard";

/** A chat on the canvas: close up the whole of it, from afar a card. */
export const ChatNode = memo(function ChatNode({ id, selected }: NodeProps) {
  const node = id as NodeId;
  const distance = useDistance();
  const record = useNode(node);
  const folded = record !== undefined && isFolded(record);
  // What fills the window stands there alone: two composers for one draft would fight over the cursor.
  const elsewhere = useFullScreen() === node;
  const phone = useNarrow(PHONE_PX);
  return (
    <NodeFrame
      node={node}
      kind="chat"
      selected={selected}
      testId={TEST_IDS.chatNode}
      dragAnywhere={distance > 0 || phone}
      fixed={folded}
    >
      {folded && distance > 0 ? (
        <FoldedCard node={node} />
      ) : distance === 0 && !elsewhere && !phone ? (
        <Arriving meanwhile={<ChatCard node={node} distance={1} />}>
          <ChatView node={node} folded={folded} />
        </Arriving>
      ) : (
        <ChatCard node={node} distance={distance === 0 ? 1 : distance} />
      )}
    </NodeFrame>
  );
});
