/** What a reply is made of, block by block: plain values that the views draw. */
import type { LinkDefinition } from "./grammar";

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
