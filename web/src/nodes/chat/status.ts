/** What a chat is doing, in words; pure. */
import type { MessageRecord, RunRecord } from "../../wire/generated";

/** `live`: something is under way. `needs-you`: a decision is wanted. */
export type StatusTone = "idle" | "live" | "needs-you" | "bad" | "stopped";

export interface ChatStatus {
  readonly tone: StatusTone;
  readonly words: string;
}

/** `last` is the conversation's last message; `nowMs` counts a retry down. */
export function chatStatus(run: RunRecord | undefined, last: MessageRecord | undefined, nowMs: number): ChatStatus {
  if (run) return { tone: run.phase === "awaiting" ? "needs-you" : "live", words: runWords(run, nowMs) };
  if (last?.error) return { tone: "bad", words: last.error.code === "interrupted" ? "Interrupted" : "Failed" };
  if (last?.stopped) return { tone: "stopped", words: "Stopped" };
  if (last?.finish === "cut") return { tone: "bad", words: "Cut off" };
  return { tone: "idle", words: "Ready" };
}

function runWords(run: RunRecord, nowMs: number): string {
  switch (run.phase) {
    case "waiting":
      return "Waiting";
    case "streaming":
      return "Answering";
    case "awaiting":
      return "Needs you";
    case "tool":
      return run.detail ? `Running ${run.detail}` : "Running a tool";
    case "retrying":
      return `Retrying in ${Math.max(0, Math.ceil(((run.retryAt ?? nowMs) - nowMs) / 1000))} s`;
    case "stopping":
      return "Stopping";
    default:
      run.phase satisfies never;
      return "";
  }
}
