import { describe, expect, it } from "vitest";
import type { BlockNode } from "./blockNode";
import { LIMITS } from "./limits";
import { MarkdownStream } from "./markdownStream";
import { readBlocks } from "./readBlocks";
import { SAMPLE_DOCUMENTS } from "./sampleDocuments";

const SMALL = {
  ...LIMITS,
  blockCharacters: 160,
  listCharacters: 90,
  charactersPerUpdate: 300,
  weightPerUpdate: 12,
};
const WHOLE = { ...SMALL, blockCharacters: LIMITS.blockCharacters, listCharacters: LIMITS.listCharacters };
const documents = Object.entries(SAMPLE_DOCUMENTS);

/** The blocks and definitions after all steps. */
function settled(stream: MarkdownStream, text: string, streaming: boolean) {
  let document = stream.update(text, streaming);
  for (let steps = 0; document.pending; steps++) {
    if (steps > text.length + 10) throw new Error("It never ends.");
    document = stream.update(text, streaming);
  }
  return document;
}

function blocksOf(stream: MarkdownStream, text: string, streaming = false): readonly BlockNode[] {
  return settled(stream, text, streaming).groups.flat();
}

function inPieces(text: string, lengths: () => number, limits = SMALL): readonly BlockNode[] {
  const stream = new MarkdownStream(limits);
  for (let end = 0; end < text.length; ) {
    end = Math.min(text.length, end + lengths());
    settled(stream, text.slice(0, end), true);
  }
  return blocksOf(stream, text);
}

/** A repeatable stream of numbers in [0, 1). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const LINES = [
  "text",
  "a | b",
  "| a | b |",
  "-|-",
  "|---|---|",
  "---",
  "===",
  "- item",
  "  - deeper",
  "-",
  "2",
  "2. two",
  "10. ten",
  "```",
  "````",
  "```js",
  "~~~",
  "    indented",
  "  two",
  "> quote",
  ">",
  "# heading",
  "#",
  "#x",
  "$$",
  "x^2 $$",
  "\\[",
  "\\]",
  "[a]: https://a.b",
  "[a]:",
  "https://c.d",
  "'title",
  "ends'",
  "[^1]: note",
  "[a] and [^1]",
  "***",
  "",
  "",
  "",
  "1",
  "\t- tab",
  "long ".repeat(30),
  "| wide | ".repeat(12),
];

function randomDocument(random: () => number): string {
  const lines = Array.from({ length: 2 + Math.floor(random() * 14) }, () => LINES[Math.floor(random() * LINES.length)]);
  return lines.join("\n") + (random() < 0.5 ? "\n" : "");
}

describe("[U5] blocks of a growing text", () => {
  it.each(documents)("[U5] %s: any pieces give the blocks of the whole text", (_, text) => {
    const whole = blocksOf(new MarkdownStream(), text);
    expect(whole).toEqual(readBlocks(text.replace(/\r\n?/g, "\n"), false).map((block) => block.node));
    const random = randomNumbers(7);
    for (const lengths of [() => 1, () => 7, () => 1 + Math.floor(random() * 40)]) {
      expect(inPieces(text, lengths, WHOLE)).toEqual(whole);
    }
    const cut = blocksOf(new MarkdownStream(SMALL), text);
    for (const lengths of [() => 1, () => 7, () => 1 + Math.floor(random() * 40)]) {
      expect(inPieces(text, lengths)).toEqual(cut);
    }
  });

  it("[U5] any pieces of any lines give the blocks of the whole text", () => {
    for (let seed = 1; seed <= 1_500; seed++) {
      const random = randomNumbers(seed);
      const text = randomDocument(random);
      const whole = readBlocks(text, false).map((block) => block.node);
      const lengths = () => 1 + Math.floor(random() * 9);
      expect(inPieces(text, lengths, WHOLE), JSON.stringify(text)).toEqual(whole);
      const cut = blocksOf(new MarkdownStream(SMALL), text);
      expect(inPieces(text, lengths), JSON.stringify(text)).toEqual(cut);
    }
  });

  it("[U5] definitions are those of the whole text, however it came", () => {
    for (let seed = 1; seed <= 150; seed++) {
      const random = randomNumbers(seed);
      const text = randomDocument(random);
      const stream = new MarkdownStream();
      for (let end = 1; end <= text.length; end++) settled(stream, text.slice(0, end), true);
      const whole = settled(new MarkdownStream(), text, false).definitions;
      expect(settled(stream, text, false).definitions, JSON.stringify(text)).toEqual(whole);
    }
  });

  it.each(documents)("[U5] %s: a settled block stays the same object", (_, written) => {
    const text = written.replaceAll("\r", "");
    const stream = new MarkdownStream();
    let before: readonly BlockNode[] = [];
    for (let end = 1; end <= text.length; end++) {
      const blocks = blocksOf(stream, text.slice(0, end), true);
      for (const [index, block] of before.slice(0, -3).entries()) expect(blocks[index]).toBe(block);
      before = blocks;
    }
  });

  it("[U5] a text that is replaced is read anew", () => {
    const stream = new MarkdownStream();
    blocksOf(stream, "# a\n\ntext\n\nmore\n", true);
    expect(blocksOf(stream, "- other", true)).toEqual(blocksOf(new MarkdownStream(), "- other"));
  });

  it("[U5] an unclosed fence is code at every prefix", () => {
    const text = "```python\nprint(1)\n\n# not a heading\n";
    const stream = new MarkdownStream();
    for (let end = 3; end <= text.length; end++) {
      const [block, ...rest] = blocksOf(stream, text.slice(0, end), true);
      expect(rest).toEqual([]);
      expect(block?.kind).toBe("code");
    }
    expect(blocksOf(stream, text, true)).toEqual([
      { kind: "code", info: "python", text: "print(1)\n\n# not a heading", closed: false },
    ]);
  });

  it("[U5] what could still become a marker waits", () => {
    const shown = (text: string) => blocksOf(new MarkdownStream(), text, true);
    const paragraph = [{ kind: "paragraph", text: "Text:", tight: false }];
    for (const end of ["-", "--", "1", "1.", "`", "``", "#", "=", "|", "> -", "  *", "$", "- [", "~~"]) {
      expect(shown(`Text:\n${end}`).slice(0, 1), end).toEqual(paragraph);
      expect(shown(`Text:\n\n${end}`).slice(0, 1), end).toEqual(paragraph);
    }
    expect(shown("Text:\n- a")).toHaveLength(2);
  });

  it("[U5] a table is one from its first row on", () => {
    const text = "| a | b |\n|---|---|\n| 1 | 2 |\n";
    for (let end = 3; end <= text.length; end++) {
      expect(blocksOf(new MarkdownStream(), text.slice(0, end), true).map((block) => block.kind)).toEqual(["table"]);
    }
  });

  it("[U5] long tables and lists are cut between their rows and items, never dropped", () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => `| row ${index} | value |`);
    const table = `| a | b |\n|---|---|\n${rows.join("\n")}\n`;
    const tables = blocksOf(new MarkdownStream(), table);
    expect(tables.every((block) => block.kind === "table" && block.head.join() === "a,b")).toBe(true);
    expect(tables.flatMap((block) => (block.kind === "table" ? block.rows.map((row) => row[0]) : []))).toEqual(
      rows.map((_, index) => `row ${index}`),
    );
    const list = Array.from({ length: 3_000 }, (_, index) => `${index + 1}. item ${index + 1}\n`).join("");
    const lists = blocksOf(new MarkdownStream(), list);
    let next = 1;
    for (const block of lists) {
      if (block.kind !== "list") throw new Error(block.kind);
      expect(block.start).toBe(next);
      next += block.items.length;
    }
    expect(next).toBe(3_001);
  });

  it("[U5] what is nested too deep or too long to read is shown as it was written", () => {
    const deep = `${"> ".repeat(200)}end`;
    expect(blocksOf(new MarkdownStream(), `before\n\n${deep}\n\nafter`)).toEqual([
      { kind: "paragraph", text: "before", tight: false },
      { kind: "plain", text: deep, reason: "deep" },
      { kind: "paragraph", text: "after", tight: false },
    ]);
    const line = "x".repeat(100_000);
    expect(blocksOf(new MarkdownStream(), `${line}\n\nafter`)).toEqual([
      { kind: "plain", text: line, reason: "long" },
      { kind: "paragraph", text: "after", tight: false },
    ]);
  });
});
