/** The audit log as a person looks through it: a page of what fits, and more of it when asked (T8). */
import { useCallback, useEffect, useState } from "react";
import { useServer } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { wordsFor } from "../../wire/commands";
import type { RecentCall } from "../../wire/generated";

const TYPING_PAUSE_MS = 150;

export interface AuditView {
  /** Null until the first answer is there. */
  readonly calls: readonly RecentCall[] | null;
  readonly problem: string;
  /** Null: there is no more. */
  readonly more: (() => void) | null;
}

export function useAudit(words: string, outcome: string): AuditView {
  const { http } = useTalkfield();
  const { project } = useServer();
  const [calls, setCalls] = useState<readonly RecentCall[] | null>(null);
  const [next, setNext] = useState<number | null>(null);
  const [problem, setProblem] = useState("");
  const read = useCallback(
    async (before: number | null, signal: AbortSignal) => {
      if (!project) return;
      try {
        const page = await http.recentCalls(project, { words, outcome }, before, signal);
        if (signal.aborted) return;
        setCalls((known) => (before === null ? page.calls : [...(known ?? []), ...page.calls]));
        setNext(page.next ?? null);
        setProblem("");
      } catch (error) {
        if (!signal.aborted) setProblem(wordsFor(error));
      }
    },
    [http, project, words, outcome],
  );
  useEffect(() => {
    const control = new AbortController();
    const timer = setTimeout(() => void read(null, control.signal), words === "" ? 0 : TYPING_PAUSE_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [read, words]);
  return { calls, problem, more: next === null ? null : () => void read(next, new AbortController().signal) };
}
