/** What of a transcript is selected, as something to ask about in a branch (L4). */
import type { MessageId } from "../../wire/generated";

export interface Quote {
  readonly message: MessageId;
  readonly text: string;
}

const QUOTABLE = "[data-message-id]:not([data-role=note])";

/** The text that is selected in one message of `list`; null: none, or more than one message's. */
export function selectedQuote(list: Element, selection: Selection | null): Quote | null {
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const text = selection.toString().trim();
  const { commonAncestorContainer: around } = selection.getRangeAt(0);
  const element = around instanceof Element ? around : around.parentElement;
  const message = element?.closest<HTMLElement>(QUOTABLE);
  if (!text || !message || !list.contains(message)) return null;
  return { message: message.dataset.messageId as MessageId, text };
}

/** The message that `element` is part of: what is meant by a key on one of its buttons. */
export function messageAround(element: Element): MessageId | null {
  const message = element.closest<HTMLElement>(QUOTABLE);
  return (message?.dataset.messageId as MessageId | undefined) ?? null;
}
