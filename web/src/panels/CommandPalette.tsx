import {
  Archive,
  Maximize,
  MessageSquare,
  MessageSquarePlus,
  Redo2,
  Settings,
  StickyNote,
  SunMoon,
  Undo2,
} from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useActions } from "../canvas/useActions";
import { useHistory, useNodes } from "../mirror/hooks";
import { useTalkfield } from "../Talkfield";
import { names } from "../ui/names";
import styles from "./CommandPalette.module.css";

interface Entry {
  readonly id: string;
  readonly words: string;
  readonly icon: ReactNode;
  readonly keys?: string;
  readonly run: () => void;
}

interface CommandPaletteProps {
  readonly onClose: () => void;
  readonly onSettings: () => void;
  readonly onShelf: () => void;
}

/** Everything that can be done, and every chat, by typing a part of its name. */
export function CommandPalette({ onClose, onSettings, onShelf }: CommandPaletteProps) {
  const entries = useEntries(onSettings, onShelf);
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const found = useMemo(() => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    return entries.filter((entry) => words.every((word) => entry.words.toLowerCase().includes(word))).slice(0, 50);
  }, [entries, query]);
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
    if (event.nativeEvent.isComposing) return;
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
        aria-label="Search chats and commands"
        placeholder="Search chats and commands"
        className={styles.search}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={id} role="listbox" aria-label="Chats and commands" className={styles.list}>
        {found.map((entry, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the search field's, which keeps the focus.
          // biome-ignore lint/a11y/useFocusableInteractive: the search field keeps the focus and names the active option.
          <div
            key={entry.id}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === index}
            data-index={at}
            className={names(styles.entry, at === index && styles.active)}
            onMouseMove={() => setActive(at)}
            onClick={() => run(entry)}
          >
            {entry.icon}
            <span className={styles.words}>{entry.words}</span>
            {entry.keys && <kbd>{entry.keys}</kbd>}
          </div>
        ))}
        {found.length === 0 && <p className={styles.none}>Nothing fits</p>}
      </div>
    </dialog>
  );
}

function useEntries(onSettings: () => void, onShelf: () => void): readonly Entry[] {
  const { ask, spotlight } = useTalkfield();
  const actions = useActions();
  const history = useHistory();
  const nodes = useNodes();
  return useMemo(() => {
    const theme = (value: "system" | "light" | "dark", words: string): Entry => ({
      id: `theme-${value}`,
      words: `Theme: ${words}`,
      icon: <SunMoon size={15} />,
      run: () => void ask({ do: "changeSettings", theme: value }),
    });
    const commands: Entry[] = [
      {
        id: "chat",
        words: "New chat",
        icon: <MessageSquarePlus size={15} />,
        keys: "N",
        run: () => void actions.add("chat"),
      },
      {
        id: "note",
        words: "New note",
        icon: <StickyNote size={15} />,
        keys: "S",
        run: () => void actions.add("sticky"),
      },
      { id: "fit", words: "Show everything", icon: <Maximize size={15} />, keys: "F", run: actions.fit },
      { id: "shelf", words: "Shelf: what was taken away", icon: <Archive size={15} />, run: onShelf },
      { id: "settings", words: "Settings", icon: <Settings size={15} />, run: onSettings },
      theme("system", "as the system"),
      theme("light", "light"),
      theme("dark", "dark"),
    ];
    if (history?.redo) {
      commands.unshift({
        id: "redo",
        words: `Redo ${history.redo}`,
        icon: <Redo2 size={15} />,
        keys: "Ctrl Y",
        run: () => actions.travel("redo"),
      });
    }
    if (history?.undo) {
      commands.unshift({
        id: "undo",
        words: `Undo ${history.undo}`,
        icon: <Undo2 size={15} />,
        keys: "Ctrl Z",
        run: () => actions.travel("undo"),
      });
    }
    const chats = nodes
      .filter((node) => node.data.kind === "chat")
      .map((node) => ({
        id: node.id,
        words: node.title || "New chat",
        icon: <MessageSquare size={15} />,
        run: () => spotlight.show(node.id),
      }));
    return [...commands, ...chats];
  }, [ask, spotlight, actions, history, nodes, onSettings, onShelf]);
}
