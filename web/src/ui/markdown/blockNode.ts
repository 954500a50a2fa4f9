/** What a reply is made of, block by block: plain values that the views draw. */
import { type BlockTokens, blockTokens, type LinkDefinition } from "./grammar";
import type { Token } from "./grammarTypes";

export type BlockNode =
  | { readonly kind: "paragraph"; readonly text: string; readonly tight: boolean }
  | { readonly kind: "heading"; readonly level: 1 | 2 | 3 | 4 | 5 | 6; readonly text: string }
  | CodeNode
  | { readonly kind: "quote"; readonly children: readonly BlockNode[] }
  | ListNode
  | TableNode
  | { readonly kind: "rule" }
  | { readonly kind: "formula"; readonly text: string; readonly source: string; readonly closed: boolean }
  | { readonly kind: "footnote"; readonly label: string; readonly children: readonly BlockNode[] }
  | { readonly kind: "definition"; readonly label: string; readonly href: string; readonly title: string }
  | { readonly kind: "plain"; readonly text: string; readonly reason: PlainReason };

export interface CodeNode {
  readonly kind: "code";
  /** What stands after the opening fence, trimmed. */
  readonly info: string;
  readonly text: string;
  /** False while the closing fence has not come. */
  readonly closed: boolean;
}

export interface ListNode {
  readonly kind: "list";
  /** Number of the first item; null for bullets. */
  readonly start: number | null;
  /** True where it goes on from the list before it, which was cut for its length. */
  readonly goesOn: boolean;
  readonly items: readonly ListItem[];
}

export interface ListItem {
  /** Null where the item is not a task. */
  readonly checked: boolean | null;
  readonly children: readonly BlockNode[];
}

export type Align = "left" | "center" | "right" | null;

export interface TableNode {
  readonly kind: "table";
  readonly aligns: readonly Align[];
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Why a block is not drawn the rich way: it is too long, or nested too deep. */
export type PlainReason = "long" | "deep";

/** A top-level block and the lines of the source it came from. */
export interface PlacedBlock {
  readonly node: BlockNode;
  readonly startLine: number;
  readonly endLine: number;
  /** False where the lines after the first decide what it is: a paragraph may yet become a heading or a table. */
  readonly certain: boolean;
  /** True where nothing that follows can become a part of it. */
  readonly ended: Ended;
  /** First line of each item, where it is a list. */
  readonly itemLines: readonly number[];
  readonly defines: Defined;
}

/** When a block takes up no more lines: now, from a blank line on, or not known before another block begins. */
export type Ended = "now" | "at blank line" | "at next block";

/** What a block, with all in it, defines for the whole message. */
export interface Defined {
  readonly links: readonly (readonly [label: string, definition: LinkDefinition])[];
  readonly footnotes: readonly string[];
}

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

/** The block at the very end of `blocks`, inside whatever holds it. */
export function lastLeaf(blocks: readonly BlockNode[]): BlockNode | undefined {
  const last = blocks.at(-1);
  if (last?.kind === "quote" || last?.kind === "footnote") return lastLeaf(last.children) ?? last;
  if (last?.kind === "list") return lastLeaf(last.items.at(-1)?.children ?? []) ?? last;
  return last;
}

/** Code without the line break before its closing fence. */
export function withoutLastBreak(code: string): string {
  return code.endsWith("\n") ? code.slice(0, -1) : code;
}

/** markdown-it does not say whether a fence was closed; its lines do: opening and closing fence are not content. */
function isClosed(fence: Token): boolean {
  const [start, end] = fence.map ?? [0, 0];
  let contentLines = fence.content === "" || fence.content.endsWith("\n") ? 0 : 1;
  for (let at = fence.content.indexOf("\n"); at >= 0; at = fence.content.indexOf("\n", at + 1)) contentLines++;
  return end - start === contentLines + 2;
}
