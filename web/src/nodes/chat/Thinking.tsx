import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { TEST_IDS } from "../../testIds";
import { names } from "../../ui/names";
import styles from "./Thinking.module.css";

interface ThinkingProps {
  readonly text: string;
  /** The reply itself has not begun. */
  readonly active: boolean;
}

/** What the model thought before it answered: folded, and not read to screen readers until asked for. */
export function Thinking({ text, active }: ThinkingProps) {
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
        <span className={names(active && styles.active)}>{active ? "Thinking" : "Thought"}</span>
      </button>
      {open && (
        <div id={id} className={styles.text}>
          {text}
        </div>
      )}
    </div>
  );
}
