/** Messages of the open project that fit what is typed, found by the server. */
import { useEffect, useState } from "react";
import { useServer } from "../mirror/hooks";
import { useTalkfield } from "../Talkfield";
import { wordsFor } from "../wire/commands";
import type { SearchHit } from "../wire/generated";

const TYPING_PAUSE_MS = 150;
const LEAST_CHARACTERS = 2;
const NO_HITS: readonly SearchHit[] = [];

export interface MessageSearch {
  readonly hits: readonly SearchHit[];
  readonly searching: boolean;
  readonly problem: string;
}

export function useMessageSearch(words: string): MessageSearch {
  const { http } = useTalkfield();
  const { project } = useServer();
  const [found, setFound] = useState<MessageSearch>({ hits: NO_HITS, searching: false, problem: "" });
  const wanted = words.trim();
  useEffect(() => {
    if (!project || wanted.length < LEAST_CHARACTERS) {
      setFound({ hits: NO_HITS, searching: false, problem: "" });
      return;
    }
    // What is typed on ends the search for what was typed before.
    const control = new AbortController();
    setFound((before) => ({ ...before, searching: true }));
    const timer = setTimeout(async () => {
      try {
        const { hits } = await http.search(project, wanted, control.signal);
        if (!control.signal.aborted) setFound({ hits, searching: false, problem: "" });
      } catch (error) {
        if (!control.signal.aborted) setFound({ hits: NO_HITS, searching: false, problem: wordsFor(error) });
      }
    }, TYPING_PAUSE_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [http, project, wanted]);
  return found;
}
