import { Info, Link2, RotateCcw, StepForward } from "lucide-react";
import { memo } from "react";
import { BudgetSteps } from "../../budgets/BudgetSteps";
import { useCallIds, useMessage, useNode, useRun } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { names } from "../../ui/names";
import type { MessageId, MessageRecord, NodeId, RunRecord } from "../../wire/generated";
import { Cited } from "./Cited";
import { FileChips } from "./FileChips";
import { MessageContent, PlainText } from "./MessageContent";
import { MessageEditor } from "./MessageEditor";
import { MessageTools } from "./MessageTools";
import styles from "./MessageView.module.css";
import { ReplyFoot } from "./ReplyFoot";
import { nextSteps, replyEnd } from "./replyEnd";
import { Thinking } from "./Thinking";
import { ToolCard } from "./ToolCard";
import { useMessageEdit } from "./useMessageEdit";
import { useNow } from "./useNow";

interface MessageViewProps {
  readonly id: MessageId;
  /** The last of its conversation, but for what links added: what can be done next stands under it. */
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
  const edit = useMessageEdit(message);
  if (edit.text !== null) return <MessageEditor edit={edit} text={edit.text} />;
  return (
    <div className={names(styles.said, (message.role !== "user" || message.source) && styles.given)}>
      {message.source && <SourceLine node={message.source.node} />}
      <FileChips files={message.attachments ?? []} className={styles.files} />
      <div data-testid={TEST_IDS.messageContent}>{message.content && <PlainText text={message.content} />}</div>
      <MessageTools message={message} className={styles.saidTools} onEdit={edit.begin} />
    </div>
  );
}

function SourceLine({ node }: { readonly node: NodeId }) {
  const source = useNode(node);
  return (
    <p className={styles.source}>
      <Link2 size={13} />
      Context from {source?.title || (source?.data.kind === "file" && source.data.path) || "another node"}
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
      <MessageTools message={message} className={styles.noteTools} />
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
      {message.thinking && (
        <Thinking
          text={message.thinking}
          active={writing && empty}
          since={message.ts}
          tookMs={message.timing?.thinkingMs}
        />
      )}
      <div data-testid={TEST_IDS.messageContent} className={styles.content} aria-busy={writing}>
        {empty ? (
          writing &&
          calls.length === 0 &&
          !message.thinking &&
          (run.phase === "retrying" ? <Retrying run={run} /> : <Waiting />)
        ) : (
          <Cited message={message}>
            <MessageContent text={message.content} streaming={writing} />
          </Cited>
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

/** Why nothing comes yet, and when it is tried again (D6). */
function Retrying({ run }: { readonly run: RunRecord }) {
  const now = useNow(true);
  const seconds = Math.max(0, Math.ceil(((run.retryAt ?? now) - now) / 1_000));
  return (
    <p className={styles.retrying} data-testid={TEST_IDS.retrying}>
      <RotateCcw size={13} />
      <span>
        {run.detail ? `${run.detail} ` : ""}
        {seconds > 0 ? `Trying again in ${seconds} s.` : "Trying again."}
      </span>
    </p>
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
      {message.error?.code === "budget" && <BudgetSteps node={node} />}
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
