/** How a reply ended, where that is worth saying, and what can be done about it; pure. */
import type { MessageRecord } from "../../wire/generated";

export interface ReplyEnd {
  readonly tone: "quiet" | "warn" | "bad";
  readonly title: string;
  readonly detail: string;
  readonly hint: string;
}

/** Null for a reply that ended by itself, and for one that is still coming. */
export function replyEnd(message: MessageRecord): ReplyEnd | null {
  if (message.error) {
    return { tone: "bad", title: message.error.message, detail: message.error.code, hint: message.error.hint ?? "" };
  }
  if (message.stopped) return { tone: "quiet", title: "Stopped", detail: "", hint: "" };
  switch (message.finish) {
    case "cut":
      return { tone: "bad", title: "The reply was cut off before its end.", detail: "", hint: "" };
    case "length":
      return { tone: "warn", title: "The reply reached the model's length limit.", detail: "", hint: "" };
    case "content_filter":
      return { tone: "warn", title: "The provider's content filter ended the reply.", detail: "", hint: "" };
    case "refusal":
      return { tone: "warn", title: "The model declined to answer.", detail: "", hint: "" };
    default:
      return null;
  }
}

export interface NextSteps {
  readonly retry: boolean;
  readonly continue: boolean;
}

/** What can be asked for at the end of a conversation that is not running. `last` is its last message. */
export function nextSteps(last: MessageRecord | undefined): NextSteps {
  if (!last) return { retry: false, continue: false };
  // Nothing answers it: the server ended before a reply began.
  if (last.role === "user") return { retry: true, continue: false };
  // A note of a turn is the runtime's own: the turn reached its limit and can go on (T2).
  if (last.role === "note") return { retry: false, continue: Boolean(last.turn) };
  if (last.role !== "assistant") return { retry: false, continue: false };
  const code = last.error?.code;
  // Nothing was asked for want of room: to go on is all there is to try again (P8).
  return { retry: replyEnd(last) !== null && code !== "budget", continue: code === "interrupted" || code === "budget" };
}
