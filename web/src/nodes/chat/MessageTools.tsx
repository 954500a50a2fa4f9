import { Check, Copy, GitBranch, Pencil, RefreshCw, Trash2 } from "lucide-react";
import { type MouseEvent, type ReactNode, useEffect, useState } from "react";
import { useRun } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { IconButton } from "../../ui/Button";
import { copyText } from "../../ui/copyText";
import { names } from "../../ui/names";
import type { MessageRecord } from "../../wire/generated";
import { focusConversation } from "./focusConversation";
import styles from "./MessageTools.module.css";
import { useBranch } from "./useBranch";

interface MessageToolsProps {
  readonly message: MessageRecord;
  readonly className: string | undefined;
  /** Begins to edit it; only what a person said can be edited. */
  readonly onEdit?: () => void;
  /** More buttons, after Copy. */
  readonly children?: ReactNode;
}

/** What can be done with one message. It has its place whether shown or not, so nothing moves under the pointer. */
export function MessageTools({ message, className, onEdit, children }: MessageToolsProps) {
  const { ask } = useTalkfield();
  const branch = useBranch();
  const busy = useRun(message.nodeId) !== undefined;
  const remove = (event: MouseEvent) => {
    focusConversation(event.currentTarget);
    void ask({ do: "removeMessage", message: message.id });
  };
  return (
    <span className={names(styles.tools, className)}>
      <CopyButton text={message.content} />
      {children}
      {onEdit && message.role === "user" && !message.source && (
        <IconButton
          small
          label="Edit and send again"
          title={busy ? "Edit and send again, once the reply has ended" : "Edit and send again"}
          disabled={busy}
          data-testid={TEST_IDS.editMessage}
          onClick={onEdit}
        >
          <Pencil size={13} />
        </IconButton>
      )}
      {message.role !== "note" && (
        <IconButton
          small
          label="Branch"
          title="Branch: go on from here in a new chat"
          data-testid={TEST_IDS.branch}
          onClick={() => void branch(message.id)}
        >
          <GitBranch size={13} />
        </IconButton>
      )}
      {message.role === "assistant" && (
        <IconButton
          small
          label="New reply"
          title={busy ? "New reply, once this one has ended" : "New reply; this one is kept beside the chat"}
          disabled={busy}
          data-testid={TEST_IDS.regenerate}
          onClick={() => void ask({ do: "regenerateReply", message: message.id })}
        >
          <RefreshCw size={13} />
        </IconButton>
      )}
      <IconButton
        small
        label="Delete"
        title="Delete (undo brings it back)"
        data-testid={TEST_IDS.deleteMessage}
        onClick={remove}
      >
        <Trash2 size={13} />
      </IconButton>
    </span>
  );
}

function CopyButton({ text }: { readonly text: string }) {
  const { notices } = useTalkfield();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    if (await copyText(text)) setCopied(true);
    else notices.show("The browser did not allow copying. Select the text and copy it by hand.");
  };
  return (
    <IconButton small label={copied ? "Copied" : "Copy"} data-testid={TEST_IDS.copy} onClick={() => void copy()}>
      {copied ? <Check size={14} /> : <Copy size={13} />}
    </IconButton>
  );
}
