import { useMessage, useRun, useTranscript } from "../../mirror/hooks";
import type { MessageId, NodeId } from "../../wire/generated";
import { type ChatStatus, chatStatus } from "./status";
import { useNow } from "./useNow";

const NO_MESSAGE = "" as MessageId;

/** What a chat is doing. While it runs the growing reply is not looked at, so that no token renders anything here. */
export function useChatStatus(node: NodeId): ChatStatus {
  const run = useRun(node);
  const last = useTranscript(node).at(-1);
  const message = useMessage(run ? NO_MESSAGE : (last ?? NO_MESSAGE));
  const now = useNow(run?.phase === "retrying");
  return chatStatus(run, message, now);
}
