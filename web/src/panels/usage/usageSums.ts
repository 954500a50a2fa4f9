/** Sums of the usage table as the page shows them; pure. Money is added as decimals of a billionth of a dollar. */
import { amount } from "../../ui/numbers";
import type { UsageRow } from "../../wire/generated";

export interface Sum {
  readonly name: string;
  readonly usd: number;
  readonly tokens: number;
  readonly calls: number;
  readonly unpriced: number;
}

export type Grouping = "model" | "provider" | "project";

const BILLION = 1e9;

/** One sum for each different `nameOf`, the dearest first. */
export function sumsBy(rows: readonly UsageRow[], nameOf: (row: UsageRow) => string): readonly Sum[] {
  const sums = new Map<string, { nano: number; tokens: number; calls: number; unpriced: number }>();
  for (const row of rows) {
    const name = nameOf(row);
    const sum = sums.get(name) ?? { nano: 0, tokens: 0, calls: 0, unpriced: 0 };
    sum.nano += Math.round(Number(row.usd) * BILLION);
    sum.tokens += row.inputTokens + row.outputTokens;
    sum.calls += row.providerCalls;
    sum.unpriced += row.unpriced;
    sums.set(name, sum);
  }
  return [...sums]
    .map(([name, { nano, ...rest }]) => ({ name, usd: nano / BILLION, ...rest }))
    .sort((left, right) => right.usd - left.usd || right.tokens - left.tokens || (left.name < right.name ? -1 : 1));
}

/** Every day from `since` to `until`, both included, those without use as well; at most a thousand. */
export function daysFrom(since: string, until: string, rows: readonly UsageRow[]): readonly Sum[] {
  const byDay = new Map(sumsBy(rows, (row) => row.day).map((sum) => [sum.name, sum]));
  const days: Sum[] = [];
  const end = Date.parse(`${until}T00:00:00Z`);
  for (let at = Date.parse(`${since}T00:00:00Z`); at <= end && days.length < 1000; at += 86_400_000) {
    const name = new Date(at).toISOString().slice(0, 10);
    days.push(byDay.get(name) ?? { name, usd: 0, tokens: 0, calls: 0, unpriced: 0 });
  }
  return days;
}

/** "$0.0123", "at least $0.42 + 2 unpriced", "n/a" where nothing had a price (P4, P5). */
export function costWords({ usd, calls, unpriced }: Sum): string {
  if (calls > 0 && unpriced === calls) return "n/a";
  return unpriced > 0 ? `at least ${amount(usd, true)} + ${unpriced} unpriced` : amount(usd);
}
