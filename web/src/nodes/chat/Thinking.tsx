import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { TEST_IDS } from "../../testIds";
import { names } from "../../ui/names";
import { duration } from "../../ui/numbers";
import styles from "./Thinking.module.css";
import { useNow } from "./useNow";

interface ThinkingProps {
  readonly text: string;
  /** The reply itself has not begun. */
  readonly active: boolean;
  /** When the reply was asked for, in epoch milliseconds. */
  readonly since: number;
  /** How long it took, once that is known. */
  readonly tookMs?: number | null | undefined;
}

/** So much of the end is looked at for the peek: a line of it is shown. */
const PEEK_CHARACTERS = 240;

/**
 * What the model thought before it answered: folded, and not read to screen readers until asked for. While it thinks,
 * its last words can be seen passing.
 */
export function Thinking({ text, active, since, tookMs }: ThinkingProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div className={styles.thinking} data-testid={TEST_IDS.thinking}>
      <button
        type="button"
        className={styles.toggle}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <ChevronRight size={14} className={names(styles.chevron, open && styles.open)} />
        {active ? (
          <Active since={since} />
        ) : (
          <span>{tookMs == null ? "Thought" : `Thought for ${duration(tookMs)}`}</span>
        )}
      </button>
      {open ? (
        <div id={id} className={styles.text}>
          {text}
        </div>
      ) : (
        active && (
          <div className={styles.peek} aria-hidden="true" data-testid={TEST_IDS.thinkingPeek}>
            <span>{text.slice(-PEEK_CHARACTERS)}</span>
          </div>
        )
      )}
    </div>
  );
}

function Active({ since }: { readonly since: number }) {
  const now = useNow(true);
  const seconds = Math.max(0, Math.round((now - since) / 1_000));
  return (
    <span>
      <span className={styles.active}>Thinking</span>
      {seconds > 0 && <span className={styles.seconds}> {duration(seconds * 1_000)}</span>}
    </span>
  );
}
