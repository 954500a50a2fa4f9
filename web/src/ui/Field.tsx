import { type ComponentProps, type ReactNode, useId } from "react";
import styles from "./Field.module.css";
import { names } from "./names";

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
}

/** A labelled line of text. */
export function TextField({ label, hint, className, ...rest }: FieldProps & ComponentProps<"input">) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <input
        id={id}
        className={names(styles.input, className)}
        aria-describedby={hint ? `${id}-hint` : undefined}
        {...rest}
      />
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Labelled text of several lines. */
export function TextAreaField({ label, hint, className, ...rest }: FieldProps & ComponentProps<"textarea">) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <textarea
        id={id}
        className={names(styles.input, styles.area, className)}
        aria-describedby={hint ? `${id}-hint` : undefined}
        {...rest}
      />
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** A labelled choice among few, by the browser's own list. */
export function SelectField({ label, hint, children, ...rest }: FieldProps & ComponentProps<"select">) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <select id={id} className={styles.input} aria-describedby={hint ? `${id}-hint` : undefined} {...rest}>
        {children}
      </select>
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}
