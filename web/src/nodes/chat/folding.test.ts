import { describe, expect, it } from "vitest";
import type { Card } from "../../wire/generated";
import { foldedText, isFolded, shownDiffLines } from "./folding";

const CARD: Card = { digest: "d" };
const LINES = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n");

describe("folding", () => {
  it("[T6] folds the end of what is long and says how much that is", () => {
    expect(foldedText("short\ntext")).toBeNull();
    expect(foldedText(LINES)).toEqual({ head: LINES.split("\n").slice(0, 16).join("\n"), left: "14 more lines" });
    expect(foldedText("x".repeat(3_000))).toEqual({ head: "x".repeat(1_000), left: "2,000 more characters" });
    const wide = `${"x".repeat(1_200)}\n`.repeat(30);
    expect(foldedText(wide)).toEqual({ head: "x".repeat(1_000), left: "30 more lines" });
    expect([40, 41].map(shownDiffLines)).toEqual([40, 24]);
  });

  it("[T6] knows a card that does not show all of its call", () => {
    const field = { name: "x", text: "y", sizeBytes: 1 };
    const folded: Record<string, Card> = {
      diff: { ...CARD, diff: "+x\n".repeat(41) },
      command: { ...CARD, command: "x".repeat(2_000) },
      field: { ...CARD, fields: [field, { ...field, text: LINES }] },
      "middle of a field": { ...CARD, fields: [{ ...field, shortened: true }] },
      "cut diff": { ...CARD, diff: "+x", cut: true },
    };
    for (const [what, card] of Object.entries(folded)) expect([what, isFolded(card)]).toEqual([what, true]);
    expect(isFolded({ ...CARD, diff: "+x\n+y", command: "ls", fields: [field] })).toBe(false);
    expect(isFolded(undefined)).toBe(false);
  });
});
