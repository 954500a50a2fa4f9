import { ArrowLeft, RotateCcw, Trash2 } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { MessageContent, PlainText } from "../../nodes/chat/MessageContent";
import { TEST_IDS } from "../../testIds";
import { Button, IconButton } from "../../ui/Button";
import { names } from "../../ui/names";
import { fullTime } from "../../ui/time";
import type { Message, ShelfEntry } from "../../wire/generated";
import styles from "./ShelfReader.module.css";
import { useShelved } from "./useShelf";

interface ShelfReaderProps {
  readonly entry: ShelfEntry;
  readonly onBack: () => void;
  readonly onRestore: () => Promise<void>;
  readonly onDiscard: () => Promise<void>;
}

/** One thing on the shelf, whole, with what can be done about it. */
export function ShelfReader({ entry, onBack, onRestore, onDiscard }: ShelfReaderProps) {
  const { item, problem } = useShelved(entry.id);
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const discardButton = useRef<HTMLButtonElement>(null);
  const once = async (act: () => Promise<void>) => {
    setBusy(true);
    await act();
    setBusy(false);
  };
  const calmDown = () => {
    setAsking(false);
    requestAnimationFrame(() => discardButton.current?.focus());
  };
  return (
    <section className={styles.reader} aria-label={entry.title || "New chat"} data-testid={TEST_IDS.shelfReader}>
      <header className={styles.header}>
        <IconButton label="Back to the list" className={styles.back} onClick={onBack}>
          <ArrowLeft size={16} />
        </IconButton>
        <div className={styles.words}>
          <h3 className={styles.title}>{entry.title || "New chat"}</h3>
          <p className={styles.why}>
            {entry.why}, {fullTime(entry.takenAt)}
          </p>
        </div>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className={styles.messages} aria-label="Messages" tabIndex={0}>
        {problem && (
          <p role="alert" className={styles.problem}>
            {problem}
          </p>
        )}
        {item?.messages.map((message) => (
          <ShelvedMessage key={message.id} message={message} />
        ))}
      </section>
      {asking ? (
        <Confirm busy={busy} onCancel={calmDown} onConfirm={() => void once(onDiscard)} />
      ) : (
        <footer className={styles.foot}>
          <Button
            look="primary"
            disabled={busy}
            data-testid={TEST_IDS.shelfRestore}
            onClick={() => void once(onRestore)}
          >
            <RotateCcw size={14} />
            Bring back
          </Button>
          <span className={styles.spacer} />
          <Button
            ref={discardButton}
            look="danger"
            disabled={busy}
            data-testid={TEST_IDS.shelfDiscard}
            onClick={() => setAsking(true)}
          >
            <Trash2 size={14} />
            Destroy
          </Button>
        </footer>
      )}
    </section>
  );
}

interface ConfirmProps {
  readonly busy: boolean;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
}

function Confirm({ busy, onCancel, onConfirm }: ConfirmProps) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), []);
  return (
    <div
      className={styles.foot}
      role="alertdialog"
      aria-label="Destroy it for good?"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        // Of itself the browser would close the whole window.
        event.preventDefault();
        onCancel();
      }}
    >
      <p className={styles.question}>Destroy it for good? Nothing brings it back.</p>
      <Button ref={keep} disabled={busy} onClick={onCancel}>
        Keep it
      </Button>
      <Button look="danger" disabled={busy} data-testid={TEST_IDS.shelfDiscardSure} onClick={onConfirm}>
        Destroy
      </Button>
    </div>
  );
}

function ShelvedMessage({ message }: { readonly message: Message }) {
  const said = message.role !== "assistant";
  const tools = message.toolCalls?.map((call) => call.name) ?? [];
  if (!message.content && tools.length === 0) return null;
  return (
    <article className={names(styles.message, said && styles.said)}>
      {message.content &&
        (said ? <PlainText text={message.content} /> : <MessageContent text={message.content} streaming={false} />)}
      {tools.length > 0 && <p className={styles.tools}>Tools called: {tools.join(", ")}</p>}
    </article>
  );
}
