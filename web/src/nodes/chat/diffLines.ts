/** A unified diff as lines with what each of them is; pure. */

export interface DiffLine {
  readonly key: number;
  readonly kind: "same" | "plus" | "minus" | "place";
  /** With its mark. */
  readonly text: string;
}

const KINDS: Readonly<Record<string, DiffLine["kind"]>> = { "+": "plus", "-": "minus", "@": "place" };

export function diffLines(diff: string): readonly DiffLine[] {
  return diff.split("\n").map((text, key) => ({ key, kind: KINDS[text.charAt(0)] ?? "same", text }));
}
