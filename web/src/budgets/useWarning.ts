import { useEffect, useRef } from "react";
import { useTalkfield } from "../Talkfield";
import type { NodeId } from "../wire/generated";
import { warningWords } from "./budgetWords";
import { useBudget } from "./useBudget";

/** Says once, when it happens, that most of a limit is spent; what was so before the page came is shown in place. */
export function useWarning(whose: string, node?: NodeId) {
  const { notices } = useTalkfield();
  const budget = useBudget(node);
  const warned = useRef(budget?.warned ?? false);
  useEffect(() => {
    const now = budget?.warned ?? false;
    if (budget && now && !warned.current) notices.show(warningWords(budget, whose));
    warned.current = now;
  }, [budget, notices, whose]);
}
