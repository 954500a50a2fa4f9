import { describe, expect, it } from "vitest";
import { aligned, differences, paragraphsOf } from "./paragraphs";

describe("paragraphsOf", () => {
  it("[L4] keeps what stands between fences whole", () => {
    expect(paragraphsOf("One\ntwo\n\n\n```js\na\n\nb\n```\nThree")).toEqual([
      "One\ntwo",
      "```js\na\n\nb\n```",
      "Three",
    ]);
  });

  it("[L4] takes a fence that is still open as it stands", () => {
    expect(paragraphsOf("~~~\na\n\nb")).toEqual(["~~~\na\n\nb"]);
    expect(paragraphsOf("  \n\n")).toEqual([]);
  });
});

describe("aligned", () => {
  const first = ["Start with the tests.", "Then write the code.", "Ship it on Friday."];

  it("[L4] puts paragraphs that say the same into one row", () => {
    const second = ["An opening of its own", "Then we write the code slowly.", "Never ship on a Friday."];
    expect(aligned([first, second], 0)).toEqual([
      [first[0], null],
      [null, second[0]],
      [first[1], second[1]],
      [first[2], second[2]],
    ]);
  });

  it("[L4] has every paragraph once and in order, whatever is compared with what", () => {
    const words = ["alpha beta", "gamma delta", "beta gamma", "epsilon", "alpha epsilon zeta", "eta"];
    for (let seed = 1; seed < 300; seed++) {
      let state = seed;
      const random = (below: number) => {
        state = (state * 48_271) % 2_147_483_647;
        return state % below;
      };
      const texts = Array.from({ length: 1 + random(4) }, () =>
        Array.from({ length: random(6) }, () => words[random(words.length)] ?? ""),
      );
      const rows = aligned(texts, random(texts.length));
      texts.forEach((text, column) => {
        expect(rows.map((row) => row[column] ?? null).filter((each) => each !== null)).toEqual(text);
      });
      expect(rows.every((row) => row.some((each) => each !== null))).toBe(true);
    }
  });
});

describe("differences", () => {
  it("[L4] marks the words that the other has not, and loses none", () => {
    expect(differences("Ship  it on Monday.", "Ship it on Friday.")).toEqual([
      { text: "Ship  it on ", differs: false },
      { text: "Monday.", differs: true },
    ]);
    expect(differences("same", "same")).toEqual([{ text: "same", differs: false }]);
  });

  it("[L4] marks a text that is too long for that as a whole", () => {
    const long = "word ".repeat(2000);
    expect(differences(long, "word")).toEqual([{ text: long, differs: true }]);
  });
});
