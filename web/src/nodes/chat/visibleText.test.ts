import { describe, expect, it } from "vitest";
import { visibleJson, visibleText } from "./visibleText";

describe("visibleText", () => {
  it("[T6] writes out what cannot be seen", () => {
    expect(visibleText("a\u202eb\u200bc\n\td\u00a0e\u{e0041}f\u001b[2J")).toBe(
      "a⟨U+202E⟩b⟨U+200B⟩c\n\td⟨U+00A0⟩e⟨U+E0041⟩f⟨U+001B⟩[2J",
    );
    expect(visibleText("naïve 漢字 עברית 👍")).toBe("naïve 漢字 עברית 👍");
  });

  it("[T6] keeps the meaning of JSON in which nothing hides any more", () => {
    const value = { "a\u202e": ["\u200b\u{e0041}\u{e0100}\ufeff", "plain\n"] };
    const shown = visibleJson(JSON.stringify(value, null, 2));
    expect(JSON.parse(shown)).toEqual(value);
    expect(shown).toContain('"a\\u202e"');
    expect(shown).toMatch(/^[\x20-\x7e\n]*$/);
  });
});
