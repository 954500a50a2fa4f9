import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { TEST_IDS } from "../testIds";
import { names } from "../ui/names";
import styles from "./CommandPalette.module.css";
import { useMessageSearch } from "./useMessageSearch";
import { type Entry, type PaletteWindows, useHitEntries, usePaletteEntries } from "./usePaletteEntries";

const MOST_ENTRIES = 50;

interface CommandPaletteProps extends PaletteWindows {
  readonly onClose: () => void;
}

/** Everything that can be done, everything on the canvas and every message, by typing a part of it. */
export function CommandPalette({ onClose, ...windows }: CommandPaletteProps) {
  const entries = usePaletteEntries(windows);
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const search = useMessageSearch(query);
  const hits = useHitEntries(search.hits);
  const named = useMemo(() => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (entry: Entry) => words.every((word) => entry.words.toLowerCase().includes(word));
    return entries.filter(fits).slice(0, MOST_ENTRIES);
  }, [entries, query]);
  const found = useMemo(() => [...named, ...hits], [named, hits]);
  const index = Math.min(active, found.length - 1);

  useEffect(() => {
    const element = dialog.current;
    if (element && !element.open) element.showModal();
    return () => element?.close();
  }, []);
  useEffect(() => {
    list.current?.querySelector(`[data-index="${index}"]`)?.scrollIntoView({ block: "nearest" });
  }, [index]);

  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    // First the palette goes, which gives the focus back: then a chat or a window can have it.
    flushSync(onClose);
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : found.length - 1;
      setActive((index + step) % Math.max(1, found.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(found[index]);
    }
  };

  return (
    <dialog
      ref={dialog}
      aria-label="Commands"
      data-testid={TEST_IDS.palette}
      className={styles.palette}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => event.target === dialog.current && onClose()}
    >
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found.length > 0 ? `${id}-${index}` : undefined}
        aria-label="Search messages, chats and commands"
        placeholder="Search messages, chats and commands"
        className={styles.search}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={id} role="listbox" aria-label="Messages, chats and commands" className={styles.list}>
        {found.map((entry, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the search field's, which keeps the focus.
          // biome-ignore lint/a11y/useFocusableInteractive: the search field keeps the focus and names the active option.
          <div
            key={entry.id}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === index}
            data-index={at}
            data-testid={entry.about === undefined ? undefined : TEST_IDS.searchHit}
            className={names(styles.entry, at === index && styles.active, at === named.length && styles.firstHit)}
            onMouseMove={() => setActive(at)}
            onClick={() => run(entry)}
          >
            {entry.icon}
            <span className={styles.words}>
              {entry.words}
              {entry.about !== undefined && <span className={styles.about}>{entry.about}</span>}
            </span>
            {entry.keys && <kbd>{entry.keys}</kbd>}
          </div>
        ))}
      </div>
      <p className={names(styles.none, found.length > 0 && !search.problem && styles.quiet)} role="status">
        {search.problem || wordsOn(search.searching, found.length, query)}
      </p>
    </dialog>
  );
}

function wordsOn(searching: boolean, count: number, query: string): string {
  if (searching) return "Searching…";
  if (count === 0) return "Nothing fits";
  return query.trim() === "" ? "" : `${count} found`;
}
