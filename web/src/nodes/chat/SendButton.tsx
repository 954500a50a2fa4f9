import { ArrowUp, ListPlus, Square } from "lucide-react";
import { useNode, useRun, useSettings, useTotals } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { names } from "../../ui/names";
import { Tip } from "../../ui/Tip";
import type { NodeId } from "../../wire/generated";
import styles from "./Composer.module.css";
import type { ComposerState } from "./drafts";
import { estimateWords, sendEstimate } from "./sendEstimate";
import { useModelOf } from "./useModelOf";

interface SendButtonProps {
  readonly node: NodeId;
  readonly draft: ComposerState;
  /** Files are on their way, and will go with it. */
  readonly uploading: boolean;
  readonly onSend: () => void;
}

const QUEUE_WORDS = {
  queue: "Queue: sent when this reply has ended",
  send: "Stop this reply and send",
  prompt: "Send, once this reply has ended",
} as const;

/** Send; while a reply runs, Stop, and beside it what Enter would do with what is typed meanwhile (W12). */
export function SendButton({ node, draft, uploading, onSend }: SendButtonProps) {
  const { takeBack } = useTalkfield();
  const run = useRun(node);
  const behaviour = useSettings()?.enterBehavior ?? "queue";
  const empty = draft.text.trim() === "" && draft.files.length === 0 && !uploading;
  if (!run) {
    return (
      <Tip align="end" words={<Estimate node={node} draft={draft} />}>
        <button
          type="button"
          className={styles.action}
          aria-label="Send"
          data-testid={TEST_IDS.send}
          disabled={empty}
          onClick={onSend}
        >
          <ArrowUp size={16} strokeWidth={2.4} />
        </button>
      </Tip>
    );
  }
  return (
    <>
      {!empty && (
        <Tip align="end" words={<p>{QUEUE_WORDS[behaviour]} (Enter)</p>}>
          <button
            type="button"
            className={styles.action}
            aria-label={QUEUE_WORDS[behaviour]}
            data-testid={TEST_IDS.queue}
            onClick={onSend}
          >
            {behaviour === "queue" ? <ListPlus size={16} /> : <ArrowUp size={16} strokeWidth={2.4} />}
          </button>
        </Tip>
      )}
      <button
        type="button"
        className={names(styles.action, styles.stop)}
        aria-label="Stop the reply"
        title="Stop the reply"
        data-testid={TEST_IDS.stop}
        disabled={run.phase === "stopping"}
        onClick={() => void takeBack({ do: "stopTurn", node })}
      >
        <Square size={12} fill="currentColor" />
      </button>
    </>
  );
}

/** What sending it would take in, and cost; found out only when somebody looks. */
function Estimate({ node, draft }: { readonly node: NodeId; readonly draft: ComposerState }) {
  const data = useNode(node)?.data;
  const totals = useTotals(node);
  const { info } = useModelOf(node);
  const system = data?.kind === "chat" ? (data.system ?? "") : "";
  const estimate = sendEstimate({ ...draft, system }, totals, info);
  const limit = totals?.contextLimit ?? info?.contextTokens;
  return (
    <div data-testid={TEST_IDS.sendEstimate}>
      <p className={styles.tipTitle}>Send (Enter)</p>
      <p>{estimateWords(estimate)}</p>
      {limit && estimate.tokens > limit ? (
        <p className={styles.tipWarning}>More than the model’s {limit.toLocaleString("en")}</p>
      ) : null}
    </div>
  );
}
