import { type RefObject, useEffect } from "react";
import { moveDuration } from "../../canvas/motion";
import { useTalkfield } from "../../Talkfield";
import type { MessageId, NodeId } from "../../wire/generated";

/** Brings a message that was asked for, by a search say, into view and lets it shine for a moment. */
export function useMessageFlight(
  node: NodeId,
  ids: readonly MessageId[],
  setShown: (change: (shown: number) => number) => void,
  scroll: RefObject<HTMLElement | null>,
): void {
  const { spotlight } = useTalkfield();
  useEffect(() => {
    const fly = () => {
      const message = spotlight.takesMessage(node);
      if (!message) return;
      const fromEnd = ids.length - ids.indexOf(message);
      setShown((shown) => Math.max(shown, fromEnd + 3));
      // The earlier messages are drawn in the next frame, and the transcript has gone to its end by then.
      requestAnimationFrame(() => requestAnimationFrame(() => land(scroll.current, message)));
    };
    fly();
    return spotlight.subscribe(fly);
  }, [spotlight, node, ids, setShown, scroll]);
}

function land(scroll: HTMLElement | null, message: MessageId): void {
  const element = scroll?.querySelector<HTMLElement>(`[data-message-id="${CSS.escape(message)}"]`);
  if (!scroll || !element) return;
  const above = element.getBoundingClientRect().top - scroll.getBoundingClientRect().top;
  const zoom = scroll.getBoundingClientRect().height / scroll.offsetHeight || 1;
  scroll.scrollTop += above / zoom - 24;
  if (moveDuration() === 0) return;
  const shine = "color-mix(in srgb, var(--accent) 22%, transparent)";
  element.animate([{ background: shine }, { background: shine, offset: 0.6 }, {}], 1800);
}
