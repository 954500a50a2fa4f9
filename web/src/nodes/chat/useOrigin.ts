import { useMessage, useNode } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import type { MessageRecord } from "../../wire/generated";
import { shortModel } from "./chatModel";

/**
 * Where a part that a chat was given comes from: its name, with the model that said it, whether it is still there, and
 * the way to it (L4).
 */
export function useOrigin(given: MessageRecord) {
  const { spotlight } = useTalkfield();
  const { node, message } = given.source ?? {};
  const origin = useNode(node ?? given.nodeId);
  const said = useMessage(message ?? given.id);
  const show = () => {
    if (!node) return;
    if (message) spotlight.showMessage(node, message);
    else spotlight.show(node);
  };
  const title = origin?.title || (origin ? "Untitled" : "closed");
  const model = shortModel(said?.model ?? "");
  // Several models that were asked the same have chats of one name; one that was made for each has its model in it.
  const name = model && !title.includes(model) ? `${title} · ${model}` : title;
  return { name, isThere: origin !== undefined, show };
}
