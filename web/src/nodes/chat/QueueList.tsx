import { Clock, Pencil, SendHorizontal, X } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { useQueued, useRun } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { IconButton } from "../../ui/Button";
import { names } from "../../ui/names";
import type { NodeId, QueuedRecord } from "../../wire/generated";
import styles from "./QueueList.module.css";

/** What was said while a reply runs: each is sent when the turns before it are over (W12). */
export function QueueList({ node }: { readonly node: NodeId }) {
  const { ask } = useTalkfield();
  const queued = useQueued(node);
  const run = useRun(node);
  if (queued.length === 0) return null;
  return (
    <ol className={styles.queue} aria-label="Waiting to be sent">
      {queued.map((each, index) => (
        <li key={each.id} className={styles.item} data-testid={TEST_IDS.queued}>
          <Clock size={13} className={styles.clock} />
          <QueuedText queued={each} />
          {!run && index === 0 && (
            <IconButton small label="Send now" onClick={() => void ask({ do: "sendQueued", node })}>
              <SendHorizontal size={13} />
            </IconButton>
          )}
          <RemoveButton queued={each} />
        </li>
      ))}
    </ol>
  );
}

function RemoveButton({ queued }: { readonly queued: QueuedRecord }) {
  const { takeBack } = useTalkfield();
  return (
    <IconButton
      small
      label="Back to the composer"
      data-testid={TEST_IDS.queuedRemove}
      onClick={() => void takeBack({ do: "removeQueued", queued: queued.id })}
    >
      <X size={13} />
    </IconButton>
  );
}

function QueuedText({ queued }: { readonly queued: QueuedRecord }) {
  const { ask } = useTalkfield();
  const [edited, setEdited] = useState<string | null>(null);
  const end = async (save: boolean) => {
    const text = edited;
    setEdited(null);
    if (save && text !== null && text.trim() !== "" && text !== queued.text) {
      const ack = await ask({ do: "editQueued", queued: queued.id, text });
      if (!ack) setEdited(text);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") void end(false);
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void end(true);
    }
  };
  if (edited !== null) {
    return (
      <textarea
        // biome-ignore lint/a11y/noAutofocus: it takes the place of the text that was just chosen.
        autoFocus
        rows={Math.min(5, edited.split("\n").length)}
        aria-label="Waiting message"
        className={names(styles.field, "nowheel nokey")}
        value={edited}
        onChange={(event) => setEdited(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => void end(true)}
      />
    );
  }
  return (
    <>
      <span className={styles.text}>{queued.text}</span>
      <IconButton small label="Edit" onClick={() => setEdited(queued.text)}>
        <Pencil size={12} />
      </IconButton>
    </>
  );
}
