import { type KeyboardEvent, useRef } from "react";
import { useTalkfield } from "../../Talkfield";
import type { NodeId } from "../../wire/generated";
import { type Recall, recallStep, sayings } from "./recall";

/** Arrow keys in an empty composer bring back what was said; true when the key was one of them. */
export function useRecall(node: NodeId): (event: KeyboardEvent<HTMLTextAreaElement>) => boolean {
  const { mirror, drafts } = useTalkfield();
  const recall = useRef<Recall | null>(null);
  const said = () =>
    sayings(
      mirror.messageIds(node).flatMap((id) => {
        const message = mirror.message(id);
        return message?.role === "user" && !message.source ? [message.content] : [];
      }),
    );
  return (event) => {
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return false;
    const step = recallStep(event.key, event.currentTarget, recall.current, said);
    if (!step) return false;
    event.preventDefault();
    recall.current = step.recall;
    drafts.edit(node, step.text);
    return true;
  };
}
