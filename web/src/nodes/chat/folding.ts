/**
 * What a card folds because it is long (T6); pure. Nothing scrolls inside a card, and a folded one cannot be approved: so
 * whoever approves has had all of it in front of them.
 */
import type { Card } from "../../wire/generated";

const MOST_DIFF_LINES = 40;
const SHOWN_DIFF_LINES = 24;
const MOST_LINES = 24;
const SHOWN_LINES = 16;
const MOST_CHARS = 1_600;
const SHOWN_CHARS = 1_000;

export interface Folded {
  readonly head: string;
  /** How much is folded away. */
  readonly left: string;
}

/** How many lines of a diff are shown while it is folded; all of them where it is short. */
export function shownDiffLines(count: number): number {
  return count > MOST_DIFF_LINES ? SHOWN_DIFF_LINES : count;
}

/** A long text with its end folded away; null: short enough to stand as it is. */
export function foldedText(text: string): Folded | null {
  const lines = text.split("\n");
  if (lines.length > MOST_LINES) {
    const head = lines.slice(0, SHOWN_LINES).join("\n").slice(0, SHOWN_CHARS);
    const left = lines.length - head.split("\n").length;
    return { head, left: `${left.toLocaleString("en")} more lines` };
  }
  if (text.length <= MOST_CHARS) return null;
  return {
    head: text.slice(0, SHOWN_CHARS),
    left: `${(text.length - SHOWN_CHARS).toLocaleString("en")} more characters`,
  };
}

/** Whether something of the call is not shown until a person asks for it. */
export function isFolded(card: Card | null | undefined): boolean {
  if (!card) return false;
  const lines = card.diff ? card.diff.split("\n").length : 0;
  const texts = [card.command ?? "", ...(card.fields ?? []).map(({ text }) => text)];
  return isCut(card) || shownDiffLines(lines) < lines || texts.some((text) => foldedText(text) !== null);
}

/** Whether what the server drew is not all there is: then the whole arguments have to be looked at, too. */
export function isCut(card: Card): boolean {
  return Boolean(card.cut) || (card.fields ?? []).some(({ shortened }) => shortened);
}
