/** Entries of the audit log in words; pure (T8). */
import type { RecentCall, RuleRecord } from "../../wire/generated";

export const OUTCOME_WORDS: Record<RecentCall["outcome"], string> = {
  done: "done",
  error: "failed",
  denied: "denied",
  cancelled: "cancelled",
  started: "began, end unknown",
};

const BY_RULE = "rule ";

/** Who let it run, or did not. A rule is named by what it says, as long as it is there. */
export function decisionWords(decision: string, rules: readonly RuleRecord[]): string {
  if (decision === "person") return "you";
  if (!decision.startsWith(BY_RULE)) return decision;
  const rule = rules.find((each) => each.id === decision.slice(BY_RULE.length));
  if (!rule) return "a rule that was taken back since";
  const what = rule.pattern || "every call";
  return `the rule “${rule.action === "allow" ? "allow" : "never"} ${rule.tool}: ${what}”`;
}

export function durationWords(call: RecentCall): string {
  if (call.outcome === "denied") return "it did not run";
  if (call.durationMs === undefined || call.durationMs === null) return "not known";
  return call.durationMs < 1000 ? `${call.durationMs} ms` : `${(call.durationMs / 1000).toFixed(1)} s`;
}
