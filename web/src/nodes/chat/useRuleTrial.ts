/** What a rule says and would have decided, asked of the server while it is being chosen or typed (T7). */
import { useEffect, useState } from "react";
import { useServer } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { wordsFor } from "../../wire/commands";
import type { RuleDescription, RuleTrial } from "../../wire/generated";

const TYPING_PAUSE_MS = 200;

export interface RuleTrialState {
  /** Null until the answer for exactly this rule is there. */
  readonly trial: RuleTrial | null;
  readonly problem: string;
}

const NOTHING: RuleTrialState = { trial: null, problem: "" };

export function useRuleTrial(rule: RuleDescription): RuleTrialState {
  const { http } = useTalkfield();
  const { project } = useServer();
  const { action, tool, kind, pattern = "", node, call } = rule;
  const [state, setState] = useState(NOTHING);
  useEffect(() => {
    setState(NOTHING);
    if (!project) return;
    const control = new AbortController();
    const timer = setTimeout(async () => {
      const asked = { action, tool, kind, pattern, ...(node && { node }), ...(call && { call }) };
      try {
        const trial = await http.tryRule(project, asked, control.signal);
        if (!control.signal.aborted) setState({ trial, problem: "" });
      } catch (error) {
        if (!control.signal.aborted) setState({ trial: null, problem: wordsFor(error) });
      }
    }, TYPING_PAUSE_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [http, project, action, tool, kind, pattern, node, call]);
  return state;
}
