import { act, render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { inlineTokens, NO_DEFINITIONS } from "./grammar";
import { LIMITS } from "./limits";
import Markdown from "./Markdown";
import { MarkdownStream } from "./markdownStream";

/** Texts that make careless renderers take seconds, each of about `size` characters. */
const HOSTILE: Readonly<Record<string, (size: number) => string>> = {
  brackets: (size) => "[".repeat(size),
  "image starts": (size) => "![".repeat(size / 2),
  "link starts": (size) => "[a](".repeat(size / 4),
  "closed brackets": (size) => "[]".repeat(size / 2),
  stars: (size) => "*".repeat(size),
  "open emphasis": (size) => "*a **a ".repeat(size / 7),
  "emphasis in words": (size) => "a**b".repeat(size / 4),
  underscores: (size) => "_a __b ".repeat(size / 7),
  quotes: (size) => ">".repeat(size),
  "spaced quotes": (size) => `${"> ".repeat(size / 2)}a`,
  "list on one line": (size) => `${"- ".repeat(size / 2)}a`,
  "nested list": (size) =>
    Array.from({ length: Math.sqrt(size) }, (_, depth) => `${" ".repeat(depth * 2)}- a`).join("\n"),
  "one long line": (size) => "word ".repeat(size / 5),
  "no space": (size) => "x".repeat(size),
  backslashes: (size) => "C:\\\\Users\\\\a ".repeat(size / 14),
  backticks: (size) => Array.from({ length: Math.sqrt(size * 2) }, (_, length) => `${"`".repeat(length)}a`).join(""),
  tags: (size) => "<a ".repeat(size / 3),
  entities: (size) => "&amp".repeat(size / 4),
  dollars: (size) => "$a".repeat(size / 2),
  "formula starts": (size) => "$$a\n".repeat(size / 4),
  "formula brackets": (size) => "\\[a\n".repeat(size / 4),
  addresses: (size) => "http://a.".repeat(size / 9),
  table: (size) => `|a|b|c|\n|-|-|-|\n${"|1|2|3|\n".repeat(size / 8)}`,
  "wide table": (size) => `${"|a".repeat(size / 8)}|\n${"|-".repeat(size / 8)}|\n${"|1".repeat(size / 4)}|\n`,
  "table starts": (size) => "|a|\n|-|b\n".repeat(size / 9),
  definitions: (size) => Array.from({ length: size / 14 }, (_, label) => `[a${label}]: x:\n`).join(""),
  "footnote starts": (size) => "[^a]: b\n".repeat(size / 8),
  "nested footnotes": (size) => `${"[^a]: ".repeat(size / 6)}b`,
  paragraphs: (size) => "a\n\n".repeat(size / 3),
  headings: (size) => "# a\n".repeat(size / 4),
  underlines: (size) => "a\n===\n".repeat(size / 6),
  rules: (size) => "***\n".repeat(size / 4),
  "code blocks": (size) => "```\na\n```\n".repeat(size / 10),
  "open fences": (size) => "```\n".repeat(size / 4),
  "unclosed fence": (size) => `\`\`\`\n${"code line\n".repeat(size / 10)}`,
  "fence in a list": (size) => `- \`\`\`\n${"  code line\n".repeat(size / 12)}`,
  items: (size) => "- a\n".repeat(size / 4),
  "items of two levels": (size) => "- a\n  - b\n".repeat(size / 10),
  marks: (size) => `a${"\u0301".repeat(size)}`,
  "turned text": (size) => "\u202eabc ".repeat(size / 5),
  "line ends": (size) => "\r".repeat(size),
};

const cases = Object.entries(HOSTILE);

/** What this process has computed so far, in milliseconds: what others do on this machine does not count. */
function computed(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Computing time of all steps, and of the longest one, in milliseconds. */
function read(text: string): { total: number; longest: number } {
  const stream = new MarkdownStream();
  let total = 0;
  let longest = 0;
  for (let isPending = true; isPending; ) {
    const before = computed();
    isPending = stream.update(text, true).pending;
    const time = computed() - before;
    total += time;
    longest = Math.max(longest, time);
  }
  return { total, longest };
}

describe("[U5] hostile lengths", { timeout: 180_000 }, () => {
  it.each(cases)("[U5] %s: ten times the text takes about ten times as long", (_, make) => {
    read(make(10_000));
    const short = read(make(30_000));
    const long = read(make(300_000));
    // Generous, since two cores may share one; what is quadratic takes a hundred times as long.
    expect(long.total).toBeLessThan(Math.max(short.total * 40, 4_000));
    expect(long.longest).toBeLessThan(4_000);
  });

  it.each(cases)("[U5] %s: the text of one paragraph is read in bounded time", (_, make) => {
    const text = make(LIMITS.inlineCharacters).slice(0, LIMITS.inlineCharacters);
    inlineTokens(text, NO_DEFINITIONS);
    const before = computed();
    inlineTokens(text, NO_DEFINITIONS);
    expect(computed() - before).toBeLessThan(2_000);
  });

  it.each(cases)("[U5] %s: no update puts more into the page than it can lay out in time", (_, make) => {
    const text = make(100_000);
    const { container, rerender, unmount } = render(<Markdown text="" streaming />);
    let before = 0;
    // Within `act` nothing runs between: what is seen is the work of one update.
    act(() => rerender(<Markdown text={text} streaming />));
    const first = container.querySelectorAll("*").length;
    expect(first - before).toBeLessThan(3_000);
    before = first;
    act(() => rerender(<Markdown text={`${text}x`} streaming />));
    expect(container.querySelectorAll("*").length - before).toBeLessThan(3_000);
    unmount();
  });

  it("[U5] a fence that stays open costs the same, however long it has become", () => {
    const stream = new MarkdownStream();
    const line = "some code in a line\n";
    let text = "```python\n";
    const timeOf = (updates: number) => {
      const before = computed();
      for (let update = 0; update < updates; update++) {
        text += line;
        stream.update(text, true);
      }
      return computed() - before;
    };
    timeOf(200);
    const early = timeOf(200);
    text += line.repeat(50_000);
    stream.update(text, true);
    const late = timeOf(200);
    // One million characters instead of eight thousand. Joining strings of that length is most of what is left.
    expect(late).toBeLessThan(Math.max(early * 60, 6_000));
  });
});
