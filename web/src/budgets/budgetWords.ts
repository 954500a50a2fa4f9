/** Limits on spending in words; pure. */
import { amount } from "../ui/numbers";
import type { BudgetRecord } from "../wire/generated";

/** `$0.84 of $1.00`; empty without a limit. */
export function budgetWords(budget: BudgetRecord | undefined): string {
  if (budget?.limitUsd == null) return "";
  return `${amount(Number(budget.spentUsd ?? 0))} of ${amount(Number(budget.limitUsd))}`;
}

/** What is said once when most of it is spent. */
export function warningWords(budget: BudgetRecord, whose: string): string {
  return `Most of the limit on this ${whose} is spent: ${budgetWords(budget)}.`;
}
