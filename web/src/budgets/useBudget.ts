/** Reads limits on spending (P8). */
import { useMemo } from "react";
import { useMirror } from "../mirror/hooks";
import type { BudgetRecord, NodeId } from "../wire/generated";

/** Every limit of the project that is set, its own first. */
export function useLimits(): readonly BudgetRecord[] {
  const budgets = useMirror("budgets", (mirror) => mirror.budgets());
  return useMemo(() => {
    const set = budgets.filter((budget) => budget.limitUsd != null);
    return set.sort((left, right) => Number(left.nodeId != null) - Number(right.nodeId != null));
  }, [budgets]);
}

/** The limit on a chat or a group, or, without a node, on the project. */
export const useBudget = (node?: NodeId): BudgetRecord | undefined =>
  useMirror(`budget:${node ?? "project"}`, (mirror) => mirror.budget(node));
