/** The pattern of a rule while a person changes it; pure (T7). */
import { editableJson } from "../../nodes/chat/toolArguments";
import type { RuleRecord } from "../../wire/generated";

export type RuleKind = RuleRecord["kind"];

/** The pattern as it is put before a person. */
export function writtenPattern(rule: RuleRecord): string {
  const pattern = rule.pattern ?? "";
  return rule.kind === "exact" ? editableJson(pattern) : pattern;
}

/** Where a pattern of another kind begins, that shall cover what these arguments say; empty where that is not plain. */
export function patternFromArguments(argsJson: string, kind: RuleKind): string {
  try {
    const { path, command } = JSON.parse(argsJson);
    if (kind === "path" && typeof path === "string") return path;
    if (kind === "command" && Array.isArray(command) && command.every(isPlainWord)) return command.join(" ");
  } catch {
    // No JSON yet: nothing to begin with.
  }
  return "";
}

function isPlainWord(word: unknown): word is string {
  return typeof word === "string" && /^[\w./=:@%+,-]+$/.test(word);
}
