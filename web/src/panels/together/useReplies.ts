/** The last replies of several chats, as they come. */
import { useEffect, useState } from "react";
import type { Mirror } from "../../mirror/mirror";
import { messagesOfReply } from "../../nodes/chat/replyFigures";
import { useTalkfield } from "../../Talkfield";
import type { MessageRecord, NodeId } from "../../wire/generated";

export interface ChatReply {
  readonly node: NodeId;
  readonly title: string;
  /** The provider calls that are one reply; none: the chat has not been answered. */
  readonly messages: readonly MessageRecord[];
  readonly text: string;
  readonly running: boolean;
}

/** Draws anew at most once for each picture of the screen, however fast the texts grow. */
export function useReplies(nodes: readonly NodeId[]): readonly ChatReply[] {
  const { mirror } = useTalkfield();
  const [, setTick] = useState(0);
  useEffect(() => {
    let frame = 0;
    const end = mirror.subscribe("seq", () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setTick((tick) => tick + 1));
    });
    return () => {
      end();
      cancelAnimationFrame(frame);
    };
  }, [mirror]);
  return nodes.flatMap((node) => {
    const record = mirror.node(node);
    return record ? [lastReply(mirror, node, record.title || "New chat")] : [];
  });
}

/** The beginning of what a node says now: a chat's last reply, the text of a note or a file. */
export function lastWords(mirror: Mirror, node: NodeId): string {
  return textOf(mirror, node).slice(0, 200);
}

function textOf(mirror: Mirror, node: NodeId): string {
  const data = mirror.node(node)?.data;
  if (data?.kind === "sticky") return data.text ?? "";
  if (data?.kind === "file") return mirror.fileState(node)?.text ?? "";
  return lastReply(mirror, node, "").text;
}

function lastReply(mirror: Mirror, node: NodeId, title: string): ChatReply {
  const all = mirror.messageIds(node).flatMap((id) => mirror.message(id) ?? []);
  const at = all.findLastIndex((message) => message.role === "assistant");
  const last = all[at];
  const messages = last ? messagesOfReply(all.slice(0, at), last) : [];
  const text = messages.map(({ content }) => content).join("\n\n");
  return { node, title, messages, text, running: mirror.run(node) !== undefined };
}
