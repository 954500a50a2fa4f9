import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Dialog } from "../../ui/Dialog";
import { names } from "../../ui/names";
import { fullTime, shortTime } from "../../ui/time";
import type { NodeId, ShelfEntry } from "../../wire/generated";
import styles from "./ShelfDialog.module.css";
import { ShelfReader } from "./ShelfReader";
import { useShelf } from "./useShelf";

/** What was undone, cleared, deleted or replaced: to search, to read, to bring back, or to destroy (W14). */
export function ShelfDialog({ onClose }: { readonly onClose: () => void }) {
  const { ask, mirror, spotlight } = useTalkfield();
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const search = useRef<HTMLInputElement>(null);
  const { entries, problem, drop } = useShelf(words);
  // A window of itself gives the focus to its Close button.
  useEffect(() => search.current?.focus(), []);
  const open = entries?.find((entry) => entry.id === chosen);

  const leave = () => {
    setChosen(null);
    search.current?.focus();
  };
  const restore = async (entry: ShelfEntry) => {
    const ack = await ask({ do: "restoreShelved", item: entry.id });
    const node = ack?.made?.[0] as NodeId | undefined;
    if (!ack || !node) return;
    await mirror.whenApplied(ack.seq);
    // First the window goes, which gives the focus back: then the chat can have it.
    flushSync(onClose);
    spotlight.show(node);
  };
  const discard = async (entry: ShelfEntry) => {
    if (!(await ask({ do: "discardShelved", item: entry.id }))) return;
    drop(entry.id);
    leave();
  };

  return (
    <Dialog title="Shelf" onClose={onClose} testId={TEST_IDS.shelf}>
      <div className={names(styles.frame, open && styles.reading)}>
        <div className={styles.side}>
          <input
            ref={search}
            type="search"
            aria-label="Search the shelf"
            placeholder="Search what was taken away"
            className={styles.search}
            data-testid={TEST_IDS.shelfSearch}
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
          {problem && (
            <p role="alert" className={styles.problem}>
              {problem}
            </p>
          )}
          {entries && entries.length > 0 && (
            <ul className={styles.list} aria-label="On the shelf" onKeyDown={moveByArrows}>
              {entries.map((entry) => (
                <li key={entry.id}>
                  <Row entry={entry} open={entry.id === chosen} onOpen={() => setChosen(entry.id)} />
                </li>
              ))}
            </ul>
          )}
          {entries?.length === 0 && (
            <p className={styles.none} role="status">
              {words.trim() === ""
                ? "Nothing was taken away yet. Replies that are undone, cleared, deleted or replaced are kept here."
                : "Nothing on the shelf fits."}
            </p>
          )}
        </div>
        {open ? (
          <ShelfReader
            key={open.id}
            entry={open}
            onBack={leave}
            onRestore={() => restore(open)}
            onDiscard={() => discard(open)}
          />
        ) : (
          <div className={styles.blank}>{entries && entries.length > 0 && <p>Choose something to read it.</p>}</div>
        )}
      </div>
    </Dialog>
  );
}

function Row({ entry, open, onOpen }: { entry: ShelfEntry; open: boolean; onOpen: () => void }) {
  return (
    <button
      type="button"
      aria-current={open}
      className={names(styles.row, open && styles.current)}
      data-testid={TEST_IDS.shelfEntry}
      onClick={onOpen}
    >
      <span className={styles.title}>{entry.title || "New chat"}</span>
      <span className={styles.why} title={fullTime(entry.takenAt)}>
        {entry.why}, {shortTime(entry.takenAt)}
      </span>
      <span className={styles.snippet}>{entry.snippet}</span>
    </button>
  );
}

function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const buttons: Element[] = [...event.currentTarget.querySelectorAll("button")];
  const next = buttons[buttons.indexOf(event.target as Element) + step];
  if (next instanceof HTMLElement) next.focus();
}
