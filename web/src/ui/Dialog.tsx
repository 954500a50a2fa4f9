/** A modal window by the browser's own `dialog`: focus stays inside, Escape closes, and no style element is needed. */
import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { IconButton } from "./Button";
import styles from "./Dialog.module.css";
import { names } from "./names";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly testId?: string;
  /** As much of the page as there is. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

export function Dialog({ title, onClose, testId, wide = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      data-testid={testId}
      className={names(styles.dialog, wide && styles.wide)}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => event.target === ref.current && onClose()}
    >
      <div className={styles.frame}>
        <header className={styles.header}>
          <h2 id={titleId} className={styles.title}>
            {title}
          </h2>
          <IconButton label="Close" onClick={onClose}>
            <X size={16} />
          </IconButton>
        </header>
        <div className={styles.body}>{children}</div>
      </div>
    </dialog>
  );
}
