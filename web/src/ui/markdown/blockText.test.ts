import { expect, it } from "vitest";
import { blockText } from "./blockText";
import { readBlocks } from "./readBlocks";

it("[U5] no word of a block is missing in its text", () => {
  const source = [
    "# Title *one*",
    "A paragraph.",
    "> quoted\n>\n> twice",
    "- first\n- second\n\n  below",
    "```js\nlet a = 1;\n```",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "$$\nx^2\n$$",
    "---",
    "[label]: https://example.com/there",
    "[^note]: a footnote",
  ].join("\n\n");
  expect(readBlocks(source, false).map(({ node }) => blockText(node))).toEqual([
    "Title *one*",
    "A paragraph.",
    "quoted\ntwice",
    "first\nsecond\nbelow",
    "let a = 1;",
    "a\tb\n1\t2",
    "$$\nx^2\n$$",
    "",
    "[label]: https://example.com/there",
    "a footnote",
  ]);
});
