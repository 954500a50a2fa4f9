import { describe, expect, it } from "vitest";
import { type Recall, recallStep, sayings } from "./recall";

const SAID = sayings(["one", "two", "two", " ", "three\nlines"]);

function press(key: string, value: string, recall: Recall | null, at = value.length) {
  return recallStep(key, { value, selectionStart: at, selectionEnd: at }, recall, () => SAID);
}

describe("recallStep", () => {
  it("[U3] goes back through what was said and forth to the empty composer", () => {
    let recall: Recall | null = null;
    let text = "";
    const texts: string[] = [];
    for (const key of ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown", "ArrowDown"]) {
      const step = press(key, text, recall, key === "ArrowUp" ? 0 : text.length);
      expect(step).toBeDefined();
      recall = step?.recall ?? null;
      text = step?.text ?? "";
      texts.push(text);
    }
    expect(texts).toEqual(["three\nlines", "two", "one", "two", "three\nlines", ""]);
    expect(recall).toBeNull();
  });

  it("[U3] leaves what is being typed, and the lines of a text, to the field", () => {
    const recall = { said: SAID, at: 2 };
    expect(press("ArrowUp", "typed", null)).toBeUndefined();
    expect(press("ArrowUp", "three\nlines, edited", recall)).toBeUndefined();
    expect(press("ArrowUp", "three\nlines", recall)).toBeUndefined(); // the cursor is on the second line
    expect(press("ArrowDown", "three\nlines", recall, 2)).toBeUndefined();
    expect(press("ArrowDown", "", null)).toBeUndefined();
    expect(press("ArrowLeft", "", null)).toBeUndefined();
    expect(press("ArrowUp", "one", { said: SAID, at: 0 }, 0)).toBeUndefined(); // the first: there is none before it
  });
});
