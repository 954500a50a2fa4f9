import { useNode } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import type { MessageRecord } from "../../wire/generated";

/** Where a part that a chat was given comes from: its name, whether it is still there, and the way to it (L4). */
export function useOrigin(given: MessageRecord) {
  const { spotlight } = useTalkfield();
  const { node, message } = given.source ?? {};
  const origin = useNode(node ?? given.nodeId);
  const show = () => {
    if (!node) return;
    if (message) spotlight.showMessage(node, message);
    else spotlight.show(node);
  };
  return { name: origin?.title || (origin ? "Untitled" : "closed"), isThere: origin !== undefined, show };
}
