import { useMemo, useState } from "react";
import { names } from "../../ui/names";
import styles from "./DiffView.module.css";
import { diffLines } from "./diffLines";
import { shownDiffLines } from "./folding";
import { ShowRest } from "./ShowRest";

interface DiffViewProps {
  /** Unified, without file names. */
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
  /** Given where something hangs on it that all lines were shown; else the view folds on its own. */
  readonly whole?: boolean;
  readonly onWhole?: () => void;
}

/** A change of a file, line by line. Its marks are text, so colour is never all that tells (U9). */
export function DiffView({ diff, added, removed, whole, onWhole }: DiffViewProps) {
  const [unfolded, setUnfolded] = useState(false);
  const lines = useMemo(() => diffLines(diff), [diff]);
  const shown = (whole ?? unfolded) ? lines.length : shownDiffLines(lines.length);
  const left = lines.length - shown;
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.caption}>
        <span className={styles.added}>+{added}</span>{" "}
        <span className={styles.removed}>
          {"\u2212"}
          {removed}
        </span>
        <span className="visually-hidden"> lines</span>
      </figcaption>
      <section aria-label="The change, line by line">
        {lines.slice(0, shown).map(({ key, kind, text }) => (
          <div key={key} dir="ltr" className={names(styles.line, styles[kind])}>
            {text || " "}
          </div>
        ))}
      </section>
      {left > 0 && (
        <ShowRest what={`${left.toLocaleString("en")} more lines`} onShow={onWhole ?? (() => setUnfolded(true))} />
      )}
    </figure>
  );
}
