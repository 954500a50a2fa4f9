import { Check, Copy, Info, Link2, MoreHorizontal, RotateCcw, StepForward, Trash2 } from "lucide-react";
import { memo, useEffect, useState } from "react";
import { useCallIds, useMessage, useNode, useRun } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button, IconButton } from "../../ui/Button";
import { copyText } from "../../ui/copyText";
import { Menu, MenuItem } from "../../ui/Menu";
import { names } from "../../ui/names";
import { fullCount, shortCount } from "../../ui/numbers";
import type { MessageId, MessageRecord, NodeId } from "../../wire/generated";
import { shortModel } from "./chatModel";
import { MessageContent, PlainText } from "./MessageContent";
import styles from "./MessageView.module.css";
import { nextSteps, replyEnd } from "./replyEnd";
import { Thinking } from "./Thinking";
import { ToolCard } from "./ToolCard";

interface MessageViewProps {
  readonly id: MessageId;
  /** The last of its conversation: what can be done next stands under it. */
  readonly isLast: boolean;
  /** The one after it belongs to the same reply: they are drawn as one (M4). */
  readonly goesOn: boolean;
}

/** One message, whoever it is from. It reads its own record, so a growing reply renders nothing else. */
export const MessageView = memo(function MessageView({ id, isLast, goesOn }: MessageViewProps) {
  const message = useMessage(id);
  if (!message) return null;
  return (
    <article
      className={styles.message}
      aria-label={ROLE_NAMES[message.role]}
      data-role={message.role}
      data-message-id={message.id}
      data-testid={TEST_IDS.message}
    >
      {message.role === "assistant" ? (
        <Reply message={message} isLast={isLast} goesOn={goesOn} />
      ) : message.role === "note" ? (
        <Note message={message} />
      ) : (
        <Said message={message} />
      )}
      {isLast && <NextSteps message={message} />}
    </article>
  );
});

const ROLE_NAMES = {
  user: "You",
  assistant: "Reply",
  system: "System prompt",
  tool: "Tool result",
  note: "Note",
} as const;

function Said({ message }: { readonly message: MessageRecord }) {
  return (
    <div className={names(styles.said, message.role !== "user" && styles.given)}>
      {message.source && <SourceLine node={message.source.node} />}
      <div data-testid={TEST_IDS.messageContent}>
        <PlainText text={message.content} />
      </div>
      <MessageTools message={message} className={styles.saidTools} />
    </div>
  );
}

function SourceLine({ node }: { readonly node: NodeId }) {
  const source = useNode(node);
  return (
    <p className={styles.source}>
      <Link2 size={13} />
      Context from {source?.title || "another node"}
    </p>
  );
}

function Note({ message }: { readonly message: MessageRecord }) {
  return (
    <div className={styles.note}>
      <Info size={14} className={styles.noteIcon} />
      <div className={styles.noteText} data-testid={TEST_IDS.messageContent}>
        {message.content}
      </div>
    </div>
  );
}

function Reply({ message, isLast, goesOn }: { message: MessageRecord; isLast: boolean; goesOn: boolean }) {
  const calls = useCallIds(message.id);
  const run = useRun(message.nodeId);
  const writing = isLast && run !== undefined && !message.finish && !message.error && !message.stopped;
  const empty = message.content === "";
  const end = replyEnd(message);
  return (
    <div className={styles.reply}>
      {message.thinking && <Thinking text={message.thinking} active={writing && empty} />}
      <div data-testid={TEST_IDS.messageContent} className={styles.content} aria-busy={writing}>
        {empty ? (
          writing && calls.length === 0 && !message.thinking && <Waiting />
        ) : (
          <MessageContent text={message.content} streaming={writing} />
        )}
      </div>
      {calls.map((call) => (
        <ToolCard key={call} id={call} />
      ))}
      {end && (
        <div className={styles.end} data-tone={end.tone}>
          <p>{end.title}</p>
          {end.hint && <p className={styles.hint}>{end.hint}</p>}
        </div>
      )}
      {!writing && !goesOn && <ReplyFoot message={message} />}
    </div>
  );
}

function Waiting() {
  return (
    <div className={styles.waiting} aria-hidden="true">
      <span />
      <span />
      <span />
    </div>
  );
}

function ReplyFoot({ message }: { readonly message: MessageRecord }) {
  const { usage, cost } = message;
  return (
    <div className={styles.foot}>
      {message.model && (
        <span className={styles.model} title={message.model}>
          {shortModel(message.model)}
        </span>
      )}
      {usage && (
        <span
          title={`${fullCount(usage.inputTokens)} tokens in, ${fullCount(usage.outputTokens)} out${usage.estimated ? ", estimated" : ""}`}
        >
          {usage.estimated ? "~" : ""}
          {shortCount(usage.outputTokens)} {usage.outputTokens === 1 ? "token" : "tokens"}
        </span>
      )}
      {cost && <span title={`Cost of this reply, by ${cost.source}`}>{costWords(cost.usd, cost.source)}</span>}
      <MessageTools message={message} className={styles.footTools} />
    </div>
  );
}

function costWords(usd: string, source: string): string {
  if (source === "unpriced") return "n/a";
  const amount = Number(usd);
  if (amount === 0) return "$0";
  return amount < 0.01 ? `$${amount.toPrecision(2)}` : `$${amount.toFixed(2)}`;
}

function MessageTools({ message, className }: { readonly message: MessageRecord; className: string | undefined }) {
  const { ask, notices } = useTalkfield();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    if (await copyText(message.content)) setCopied(true);
    else notices.show("The browser did not allow copying. Select the text and copy it by hand.");
  };
  return (
    <span className={names(styles.tools, className)}>
      <IconButton small label={copied ? "Copied" : "Copy"} data-testid={TEST_IDS.copy} onClick={() => void copy()}>
        {copied ? <Check size={14} /> : <Copy size={14} />}
      </IconButton>
      <Menu
        align="end"
        trigger={
          <IconButton small label="More">
            <MoreHorizontal size={14} />
          </IconButton>
        }
      >
        <MenuItem icon={<Copy size={14} />} onSelect={() => void copy()}>
          Copy text
        </MenuItem>
        <MenuItem
          danger
          icon={<Trash2 size={14} />}
          onSelect={() => void ask({ do: "removeMessage", message: message.id })}
        >
          Delete message
        </MenuItem>
      </Menu>
    </span>
  );
}

function NextSteps({ message }: { readonly message: MessageRecord }) {
  const { ask } = useTalkfield();
  const run = useRun(message.nodeId);
  const steps = nextSteps(message);
  if (run || (!steps.retry && !steps.continue)) return null;
  const node = message.nodeId;
  return (
    <div className={styles.next}>
      {steps.continue && (
        <Button size="small" onClick={() => void ask({ do: "continueTurn", node })}>
          <StepForward size={13} />
          Continue
        </Button>
      )}
      {steps.retry && (
        <Button size="small" data-testid={TEST_IDS.retry} onClick={() => void ask({ do: "retryTurn", node })}>
          <RotateCcw size={13} />
          Retry
        </Button>
      )}
    </div>
  );
}
