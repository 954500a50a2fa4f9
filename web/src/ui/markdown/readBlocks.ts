/** Turns markdown-it's flat tokens into the blocks that views draw. */
import {
  type Align,
  type BlockNode,
  type Defined,
  type Ended,
  type ListItem,
  type ListNode,
  type PlacedBlock,
  type TableNode,
  withoutLastBreak,
} from "./blockNode";
import { type BlockTokens, blockTokens, type LinkDefinition } from "./grammar";
import type { Token } from "./grammarTypes";

const LABEL = /\[((?:[^[\]\\]|\\.)+)\]:/;
const TASK = /^\[([ xX])\][ \t\n]+/;

/** Reads `source` into top-level blocks. `growing`: more text may follow. */
export function readBlocks(source: string, growing: boolean): readonly PlacedBlock[] {
  const read = blockTokens(source, growing);
  const blocks: PlacedBlock[] = [];
  const reader = new TokenReader(read, source);
  for (;;) {
    const token = reader.peek();
    if (!token) break;
    const [startLine, endLine] = token.map ?? [0, 0];
    const itemLines = isListOpen(token) ? reader.itemLines() : [];
    let node = reader.block();
    if (!node) continue;
    if (read.tooDeepLines.some((line) => line >= startLine && line < endLine)) {
      node = { kind: "plain", text: linesOf(source, startLine, endLine), reason: "deep" };
    }
    blocks.push({
      node,
      startLine,
      endLine,
      certain: isCertain(token),
      ended: endOf(token),
      itemLines,
      defines: reader.takeDefined(),
    });
  }
  return blocks;
}

function linesOf(source: string, startLine: number, endLine: number): string {
  return source.split("\n").slice(startLine, endLine).join("\n").trimEnd();
}

function isListOpen(token: Token): boolean {
  return token.type === "bullet_list_open" || token.type === "ordered_list_open";
}

/** Kinds that their first line alone decides, and that end what stands before them. */
function isCertain(token: Token): boolean {
  switch (token.type) {
    case "fence":
    case "hr":
    case "blockquote_open":
    case "bullet_list_open":
    case "ordered_list_open":
    case "footnote_open":
      return true;
    case "heading_open":
      return token.markup.startsWith("#");
    default:
      return false;
  }
}

function endOf(token: Token): Ended {
  switch (token.type) {
    case "fence":
      return isClosed(token) ? "now" : "at next block";
    case "formula_block":
      return token.meta?.closed === true ? "now" : "at next block";
    case "hr":
      return "now";
    case "heading_open":
      return token.markup.startsWith("#") ? "now" : "at blank line";
    case "paragraph_open":
    case "table_open":
    case "reference_definition":
      return "at blank line";
    default:
      return "at next block";
  }
}

class TokenReader {
  readonly #tokens: readonly Token[];
  readonly #definitions: readonly LinkDefinition[];
  readonly #source: string;
  #lines: readonly string[] | null = null;
  #at = 0;
  #definitionsRead = 0;
  #links: [string, LinkDefinition][] = [];
  #footnotes: string[] = [];

  constructor(read: BlockTokens, source: string) {
    this.#source = source;
    this.#tokens = read.tokens;
    this.#definitions = read.definitions;
  }

  peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  /** What was defined since the last call. */
  takeDefined(): Defined {
    const defined = { links: this.#links, footnotes: this.#footnotes };
    this.#links = [];
    this.#footnotes = [];
    return defined;
  }

  /** First lines of the items of the list that is next. */
  itemLines(): readonly number[] {
    const level = this.peek()?.level ?? 0;
    const lines: number[] = [];
    for (let at = this.#at + 1; at < this.#tokens.length; at++) {
      const token = this.#tokens[at];
      if (!token || (token.level === level && token.nesting === -1)) break;
      if (token.type === "list_item_open" && token.level === level + 1) lines.push(token.map?.[0] ?? 0);
    }
    return lines;
  }

  /** The next block, whole; null for a token that draws nothing. */
  block(): BlockNode | null {
    const token = this.#next();
    switch (token.type) {
      case "paragraph_open":
        return { kind: "paragraph", text: this.#text(), tight: token.hidden };
      case "heading_open":
        return { kind: "heading", level: headingLevel(token.tag), text: this.#text() };
      case "fence":
        return {
          kind: "code",
          info: token.info.trim(),
          text: withoutLastBreak(token.content),
          closed: isClosed(token),
        };
      case "code_block":
        return { kind: "code", info: "", text: withoutLastBreak(token.content), closed: true };
      case "hr":
        return { kind: "rule" };
      case "blockquote_open":
        return { kind: "quote", children: this.#children() };
      case "bullet_list_open":
      case "ordered_list_open":
        return this.#list(token);
      case "table_open":
        return this.#table();
      case "formula_block":
        return {
          kind: "formula",
          text: token.content,
          source: `${token.markup}\n${token.content}\n${token.markup === "$$" ? "$$" : "\\]"}`,
          closed: token.meta?.closed === true,
        };
      case "footnote_open":
        this.#footnotes.push(token.content);
        return { kind: "footnote", label: token.content, children: this.#children() };
      case "reference_definition":
        return this.#definition(token);
      default:
        return null;
    }
  }

  #next(): Token {
    const token = this.#tokens[this.#at++];
    if (!token) throw new Error("A block ended without its closing token.");
    return token;
  }

  /** Content of the inline token that is next, past the closing token after it. */
  #text(): string {
    const content = this.#next().content;
    this.#at++;
    return content;
  }

  #children(): BlockNode[] {
    const children: BlockNode[] = [];
    for (;;) {
      const token = this.peek();
      if (!token || token.nesting === -1) break;
      const node = this.block();
      if (node) children.push(node);
    }
    this.#at++;
    return children;
  }

  #list(open: Token): ListNode {
    const items: ListItem[] = [];
    const start = open.type === "ordered_list_open" ? Number(open.attrGet("start") ?? 1) : null;
    while (this.peek()?.type === "list_item_open") {
      this.#at++;
      items.push(asTask(this.#children()));
    }
    this.#at++;
    return { kind: "list", start, goesOn: false, items };
  }

  #table(): TableNode {
    const aligns: Align[] = [];
    const rows: string[][] = [];
    for (;;) {
      const token = this.#next();
      if (token.type === "table_close") break;
      if (token.type === "tr_open") rows.push([]);
      else if (token.type === "inline") rows.at(-1)?.push(token.content);
      else if (token.type === "th_open") aligns.push(alignOf(token));
    }
    return { kind: "table", aligns, head: rows[0] ?? [], rows: rows.slice(1) };
  }

  #definition(token: Token): BlockNode | null {
    const label = token.meta?.label;
    const definition = this.#definitions[this.#definitionsRead++];
    if (typeof label !== "string" || !definition) return null;
    this.#links.push([label, definition]);
    // Labels are compared without case, but shown as they were written.
    this.#lines ??= this.#source.split("\n");
    const written = LABEL.exec(this.#lines[token.map?.[0] ?? 0] ?? "")?.[1] ?? label;
    return { kind: "definition", label: written, href: definition.href, title: definition.title };
  }
}

function headingLevel(tag: string): 1 | 2 | 3 | 4 | 5 | 6 {
  const level = Number(tag.slice(1));
  return level === 1 || level === 2 || level === 3 || level === 4 || level === 5 ? level : 6;
}

function alignOf(token: Token): Align {
  const style = String(token.attrGet("style") ?? "");
  if (style.endsWith("center")) return "center";
  if (style.endsWith("right")) return "right";
  return style.endsWith("left") ? "left" : null;
}

function asTask(children: BlockNode[]): ListItem {
  const first = children[0];
  if (first?.kind !== "paragraph") return { checked: null, children };
  const mark = TASK.exec(first.text);
  if (!mark) return { checked: null, children };
  const text = first.text.slice(mark[0].length);
  return { checked: mark[1] !== " ", children: [{ ...first, text }, ...children.slice(1)] };
}

/** markdown-it does not say whether a fence was closed; its lines do: opening and closing fence are not content. */
function isClosed(fence: Token): boolean {
  const [start, end] = fence.map ?? [0, 0];
  let contentLines = fence.content === "" || fence.content.endsWith("\n") ? 0 : 1;
  for (let at = fence.content.indexOf("\n"); at >= 0; at = fence.content.indexOf("\n", at + 1)) contentLines++;
  return end - start === contentLines + 2;
}
