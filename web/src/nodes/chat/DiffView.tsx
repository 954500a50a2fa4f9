import { useMemo } from "react";
import { names } from "../../ui/names";
import styles from "./DiffView.module.css";
import { diffLines } from "./diffLines";

interface DiffViewProps {
  /** Unified, without file names. */
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

/** A change of a file, line by line. Its marks are text, so colour is never all that tells (U9). */
export function DiffView({ diff, added, removed }: DiffViewProps) {
  const lines = useMemo(() => diffLines(diff), [diff]);
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className={names(styles.lines, "nowheel")} tabIndex={0} aria-label="The change, line by line">
        {lines.map(({ key, kind, text }) => (
          <div key={key} dir="ltr" className={names(styles.line, styles[kind])}>
            {text || " "}
          </div>
        ))}
      </section>
    </figure>
  );
}
