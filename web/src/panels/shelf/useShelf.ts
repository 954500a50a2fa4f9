/** The shelf as a person looks through it: what fits the words, the one that is being read, and what went wrong. */
import { useCallback, useEffect, useState } from "react";
import { useServer } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { wordsFor } from "../../wire/commands";
import type { ShelfEntry, ShelfItem } from "../../wire/generated";

const TYPING_PAUSE_MS = 150;

export interface ShelfView {
  /** Null until the first answer is there. */
  readonly entries: readonly ShelfEntry[] | null;
  readonly problem: string;
  /** Takes an entry off the list before the next answer says so. */
  readonly drop: (id: string) => void;
}

export function useShelf(words: string): ShelfView {
  const { http } = useTalkfield();
  const { project } = useServer();
  const [entries, setEntries] = useState<readonly ShelfEntry[] | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    if (!project) return;
    const control = new AbortController();
    const timer = setTimeout(
      async () => {
        try {
          const { items } = await http.shelf(project, words, control.signal);
          setEntries(items);
          setProblem("");
        } catch (error) {
          if (!control.signal.aborted) setProblem(wordsFor(error));
        }
      },
      words === "" ? 0 : TYPING_PAUSE_MS,
    );
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [http, project, words]);
  const drop = useCallback((id: string) => {
    setEntries((before) => before?.filter((entry) => entry.id !== id) ?? null);
  }, []);
  return { entries, problem, drop };
}

export function useShelved(id: string | null): { readonly item: ShelfItem | null; readonly problem: string } {
  const { http } = useTalkfield();
  const { project } = useServer();
  const [item, setItem] = useState<ShelfItem | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    setItem(null);
    setProblem("");
    if (!project || !id) return;
    const control = new AbortController();
    http.shelved(project, id, control.signal).then(setItem, (error: unknown) => {
      if (!control.signal.aborted) setProblem(wordsFor(error));
    });
    return () => control.abort();
  }, [http, project, id]);
  return { item, problem };
}
