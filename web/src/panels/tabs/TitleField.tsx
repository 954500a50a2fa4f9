import { type KeyboardEvent, useState } from "react";
import styles from "./TitleField.module.css";

interface TitleFieldProps {
  readonly label: string;
  readonly initial?: string;
  readonly onDone: (title: string) => void;
  readonly onCancel: () => void;
}

/** Asks for the title of a project, in the place of what asked. */
export function TitleField({ label, initial = "", onDone, onCancel }: TitleFieldProps) {
  const [title, setTitle] = useState(initial);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") onDone(title);
    if (event.key === "Escape") onCancel();
  };
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: it takes the place of what asked for it.
      autoFocus
      aria-label={label}
      placeholder={label}
      maxLength={200}
      className={styles.field}
      value={title}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setTitle(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={onCancel}
    />
  );
}
