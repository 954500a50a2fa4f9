import { memo } from "react";
import { useMessage, useNode, useProviders, useSettings, useTranscript } from "../../mirror/hooks";
import { TEST_IDS } from "../../testIds";
import type { MessageId, MessageRecord, NodeId } from "../../wire/generated";
import styles from "./ChatCard.module.css";
import { chatModel, shortModel } from "./chatModel";
import { useChatStatus } from "./useChatStatus";

interface ChatCardProps {
  readonly node: NodeId;
  /** How far away the reader is; the further, the larger and the less. */
  readonly distance: 1 | 2 | 3;
}

/** A chat seen from afar: its title, model, last line and whether it needs you (U7). No markdown is rendered here. */
export const ChatCard = memo(function ChatCard({ node, distance }: ChatCardProps) {
  const record = useNode(node);
  const settings = useSettings();
  const providers = useProviders();
  const status = useChatStatus(node);
  if (record?.data.kind !== "chat") return null;
  const { model } = chatModel(record.data, settings, providers);
  return (
    <div className={styles.card} data-distance={distance} data-tone={status.tone} data-testid={TEST_IDS.chatCard}>
      <p className={styles.title}>{record.title || "New chat"}</p>
      {distance < 3 && <p className={styles.model}>{shortModel(model)}</p>}
      {distance < 3 && <LastLine node={node} />}
      <p className={styles.status} data-testid={TEST_IDS.status}>
        <span className={styles.ring} aria-hidden="true" />
        {status.words}
      </p>
    </div>
  );
});

function LastLine({ node }: { readonly node: NodeId }) {
  const last = useTranscript(node).at(-1);
  const message = useMessage(last ?? ("" as MessageId));
  return <p className={styles.last}>{message ? lastLine(message) : ""}</p>;
}

const LOOKED_AT = 400;

/** The end of a message, without looking at all of it. */
export function lastLine(message: MessageRecord): string {
  const end = message.content.slice(-LOOKED_AT).trimEnd();
  return end.slice(end.lastIndexOf("\n") + 1).slice(-200);
}
