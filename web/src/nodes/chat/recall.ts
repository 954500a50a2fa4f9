/** Going back through what was said in a chat by the arrow keys, as in a terminal; pure. */

export interface Recall {
  /** What was said, oldest first; the same text twice in a row is once. */
  readonly said: readonly string[];
  /** Which of them stands in the composer. */
  readonly at: number;
}

/** The texts that can be gone back to. */
export function sayings(texts: readonly string[]): readonly string[] {
  return texts.filter((text, index) => text.trim() !== "" && text !== texts[index - 1]);
}

/**
 * The next step: its text, and null for the recall once it has come back to the empty composer. Undefined: the key is
 * the field's own, since something is being typed, or the cursor has lines to move through.
 */
export function recallStep(
  key: string,
  field: { readonly value: string; readonly selectionStart: number; readonly selectionEnd: number },
  recall: Recall | null,
  said: () => readonly string[],
): { readonly recall: Recall | null; readonly text: string } | undefined {
  const step = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (!step || field.selectionStart !== field.selectionEnd) return undefined;
  const shows = recall !== null && recall.said[recall.at] === field.value;
  if (field.value !== "" && !shows) return undefined;
  const beyond = step < 0 ? field.value.slice(0, field.selectionStart) : field.value.slice(field.selectionEnd);
  if (beyond.includes("\n")) return undefined;
  const from = shows ? recall : null;
  if (!from && step > 0) return undefined;
  const list = from?.said ?? said();
  const at = (from?.at ?? list.length) + step;
  const text = list[at];
  if (text !== undefined) return { recall: { said: list, at }, text };
  return step > 0 ? { recall: null, text: "" } : undefined;
}
