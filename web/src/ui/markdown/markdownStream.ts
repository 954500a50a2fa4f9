/**
 * Splits a growing text into top-level blocks, and reads only what is new. A block that later text cannot change any more
 * is settled: it keeps its place and its identity, and is never read again. Whatever the pieces the text came in, the
 * blocks are those of the whole text. Long texts are worked through in steps: call `update` again while it says `pending`.
 */

import { owned } from "../../owned";
import { type BlockNode, lastLeaf, type PlacedBlock } from "./blockNode";
import { DefinitionIndex } from "./definitionIndex";
import { type Definitions, NO_DEFINITIONS } from "./grammar";
import { shownEnd, withTableStart } from "./growing";
import { LIMITS, type MarkdownLimits, SHOWN_WEIGHT_STEP } from "./limits";
import { LineStarts } from "./lineStarts";
import { OpenFence } from "./openFence";
import { readBlocks } from "./readBlocks";
import { reuseBlocks } from "./sameBlock";
import { blockWeight } from "./weight";

/** Blocks are handed out in groups, so that a long message costs an update only its last group. */
export const GROUP_SIZE = 8;

export interface MarkdownDocument {
  /** The blocks, in order; a group that has not changed is the same array as before. */
  readonly groups: readonly (readonly BlockNode[])[];
  readonly definitions: Definitions;
  /** True when the last block is still being written. */
  readonly growing: boolean;
  /** True when more of the text is to come with the next `update`. */
  readonly pending: boolean;
}

const LIST_START = /^ {0,3}(?:[-+*]|\d{1,9}[.)])[ \t\n]/;
const BLANK_LINES = /(?:[ \t]*\n)+/y;

export class MarkdownStream {
  readonly #limits: MarkdownLimits;
  #text = "";
  #streaming = false;
  #document: MarkdownDocument | null = null;
  #groups: (readonly BlockNode[])[] = [];
  #settledCount = 0;
  /** Offset of the first character that no settled block covers. */
  #start = 0;
  #fence: OpenFence | null = null;
  /** Head rows of a table that was cut here: its other rows follow. */
  #tableHead = "";
  /** Where the plain text began that runs to the next blank line; -1 outside of one. */
  #plainStart = -1;
  /** True where the list before was cut: a list that begins here goes on from it. */
  #listGoesOn = false;
  #tail: readonly BlockNode[] = [];
  /** How many of the first blocks were handed out. */
  #shownCount = 0;
  #index = new DefinitionIndex();
  /** Blocks of the growing end whose definitions count already. */
  #defining: readonly PlacedBlock[] = [];
  #definitions = NO_DEFINITIONS;

  constructor(limits: MarkdownLimits = LIMITS) {
    this.#limits = limits;
  }

  /** The blocks of `text`. Cheap when `text` only got longer since the last call; right in any case. */
  update(text: string, streaming: boolean): MarkdownDocument {
    const source = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
    const known = this.#document;
    if (known && !known.pending && streaming === this.#streaming && source === this.#text) return known;
    const grown = source.length >= this.#text.length && source.slice(0, this.#text.length) === this.#text;
    if (!grown) this.#restart();
    this.#text = source;
    this.#streaming = streaming;
    this.#document = this.#advance();
    return this.#document;
  }

  #restart(): void {
    this.#groups = [];
    this.#settledCount = 0;
    this.#start = 0;
    this.#fence = null;
    this.#tableHead = "";
    this.#plainStart = -1;
    this.#listGoesOn = false;
    this.#tail = [];
    this.#shownCount = 0;
    this.#defining = [];
    this.#index = new DefinitionIndex(this.#definitions);
  }

  #advance(): MarkdownDocument {
    const stop = this.#start + this.#limits.charactersPerUpdate;
    for (;;) {
      if (this.#start >= stop && this.#start < this.#text.length) return this.#made([], true);
      const tail = this.#step();
      if (tail) return this.#made(tail, false);
    }
  }

  /** Settles what it can of the next part of the text. Null when there is more to do, else the blocks that are left. */
  #step(): readonly BlockNode[] | null {
    if (this.#fence) return this.#stepFence(this.#fence);
    if (this.#plainStart >= 0) return this.#stepPlain();
    this.#skipBlankLines();
    const { blockCharacters, listCharacters } = this.#limits;
    const rest = this.#text.length - this.#start;
    if (rest > listCharacters && this.#stepList()) return null;
    if (rest > blockCharacters) {
      const windowEnd = this.#text.lastIndexOf("\n", this.#start + blockCharacters) + 1;
      if (windowEnd <= this.#start) {
        this.#plainStart = this.#start;
        return this.#stepPlain();
      }
      return this.#stepWindow(windowEnd);
    }
    return this.#stepTail();
  }

  #skipBlankLines(): void {
    BLANK_LINES.lastIndex = this.#start;
    const end = BLANK_LINES.test(this.#text) ? BLANK_LINES.lastIndex : this.#start;
    if (end === this.#start) return;
    this.#start = end;
    this.#tableHead = "";
  }

  /** Settles the first items of a list that is too long to be read whole each time. False where none is here. */
  #stepList(): boolean {
    if (this.#tableHead !== "") return false;
    const windowEnd = this.#text.lastIndexOf("\n", this.#start + this.#limits.listCharacters) + 1;
    if (windowEnd <= this.#start || !LIST_START.test(this.#text.slice(this.#start, this.#start + 20))) return false;
    const source = owned(this.#text.slice(this.#start, windowEnd));
    const blocks = readBlocks(source, true);
    const [list] = blocks;
    const cutLine = list?.itemLines.at(-1) ?? 0;
    if (blocks.length !== 1 || list?.node.kind !== "list" || cutLine === 0) return false;
    this.#settle([{ ...list, node: { ...list.node, items: list.node.items.slice(0, -1) } }]);
    this.#start = new LineStarts(source, this.#start).offset(cutLine);
    this.#listGoesOn = true;
    return true;
  }

  /** Settles what stands before a list that `#stepList` will cut: it must begin there to be cut in the same places. */
  #settleBeforeLongList(blocks: readonly PlacedBlock[], starts: LineStarts): boolean {
    const { listCharacters } = this.#limits;
    const index = blocks.findIndex((block, place) => {
      if (place === 0 || block.node.kind !== "list") return false;
      const start = starts.offset(block.startLine);
      if (this.#text.length - start <= listCharacters) return false;
      const windowEnd = this.#text.lastIndexOf("\n", start + listCharacters) + 1;
      const next = blocks[place + 1];
      const isAlone = !next || starts.offset(next.startLine) >= windowEnd;
      return isAlone && starts.offset(block.itemLines[1] ?? Number.POSITIVE_INFINITY) < windowEnd;
    });
    if (index < 1) return false;
    this.#settle(blocks.slice(0, index));
    this.#start = starts.offset(blocks[index]?.startLine ?? 0);
    return true;
  }

  /** A part that ends before the text does: at least its first block settles. */
  #stepWindow(windowEnd: number): null {
    const head = this.#tableHead;
    const source = owned(head + this.#text.slice(this.#start, windowEnd));
    const blocks = readBlocks(source, true);
    const starts = new LineStarts(source, this.#start - head.length);
    if (this.#settleBeforeLongList(blocks, starts) || this.#settleFirst(blocks, starts, windowEnd) > 0) return null;
    const last = blocks.at(-1);
    if (!last) {
      this.#start = windowEnd;
      this.#tableHead = "";
    } else if (blocks.length === 1 && last.node.kind === "code" && this.#openFence(last, starts)) {
      return null;
    } else if (blocks.length === 1 && last.node.kind === "table" && last.node.rows.length > 0) {
      const headEnd = starts.offset(last.startLine + 2);
      const headSource = head || this.#text.slice(this.#start, headEnd);
      this.#settle([last]);
      this.#start = windowEnd;
      this.#tableHead = headSource;
    } else if (blocks.length > 1) {
      this.#settle(blocks.slice(0, -1));
      this.#start = starts.offset(last.startLine);
    } else {
      this.#plainStart = this.#start;
    }
    return null;
  }

  /** The end of the text. */
  #stepTail(): readonly BlockNode[] | null {
    const head = this.#tableHead;
    const raw = owned(this.#text.slice(this.#start));
    const completeEnd = this.#text.lastIndexOf("\n") + 1;
    const { source, blocks } = this.#readTail(head, raw);
    const starts = new LineStarts(source, this.#start - head.length);
    if (this.#settleBeforeLongList(blocks, starts)) return null;
    const settled = this.#streaming ? this.#settleFirst(blocks, starts, completeEnd) : 0;
    const rest = blocks.slice(settled);
    const last = rest.at(-1);
    if (last && rest.length === 1 && last.node.kind === "code" && this.#streaming && this.#openFence(last, starts)) {
      return null;
    }
    const isComplete = (line: number) => !this.#streaming || starts.offset(line) <= completeEnd;
    this.#defining = rest.filter((block) => isComplete(block.endLine));
    const nodes = rest.map((block, index) => (settled + index === 0 ? this.#asRest(block.node) : block.node));
    // Half a language's name would be the name of another one.
    if (last?.node.kind === "code" && !last.node.closed && this.#streaming && !isComplete(last.startLine + 1)) {
      nodes[nodes.length - 1] = { ...last.node, info: "" };
    }
    // A table that went on after a cut may turn out to have ended with it.
    return head && settled === 0 && nodes[0]?.kind === "table" && nodes[0].rows.length === 0 ? nodes.slice(1) : nodes;
  }

  #readTail(head: string, raw: string): { source: string; blocks: readonly PlacedBlock[] } {
    const source = head + (this.#streaming ? raw.slice(0, shownEnd(raw)) : raw);
    if (this.#streaming) {
      const withTable = withTableStart(source);
      const blocks = withTable === source ? null : readBlocks(withTable, true);
      // Not where the row stands in code, or in anything else that is not a table.
      if (blocks && lastLeaf(blocks.map((block) => block.node))?.kind === "table") return { source: withTable, blocks };
    }
    return { source, blocks: readBlocks(source, this.#streaming) };
  }

  /**
   * Settles the first blocks that no later text can change, where everything before `completeEnd` is there in full
   * lines. Returns how many.
   */
  #settleFirst(blocks: readonly PlacedBlock[], starts: LineStarts, completeEnd: number): number {
    const isComplete = (line: number) => starts.offset(line) <= completeEnd;
    const last = blocks.at(-1);
    let count = 0;
    if (last && isComplete(last.endLine) && endsBefore(last, last.endLine, starts, completeEnd)) count = blocks.length;
    for (let next = blocks.length - 1; count === 0 && next > 0; next--) {
      const block = blocks[next];
      const before = blocks[next - 1];
      if (!block || !before || !isComplete(block.startLine + 1)) continue;
      if (block.certain || before.ended === "now" || starts.isBlank(block.startLine - 1)) count = next;
    }
    if (count === 0) return 0;
    this.#settle(blocks.slice(0, count));
    this.#start = starts.offset(blocks[count]?.startLine ?? last?.endLine ?? 0);
    return count;
  }

  /** Goes on with a fence that is open at the end of what was read. False where the general way must do it. */
  #openFence(block: PlacedBlock, starts: LineStarts): boolean {
    const start = starts.offset(block.startLine);
    const fence = OpenFence.at(this.#text, start, block);
    if (!fence) return false;
    this.#start = start;
    this.#fence = fence;
    return true;
  }

  #stepFence(fence: OpenFence): readonly BlockNode[] | null {
    const { node, end } = fence.read(this.#text, this.#streaming);
    if (end === null) return [node];
    this.#fence = null;
    this.#push(node);
    this.#start = end;
    return end < this.#text.length ? null : [];
  }

  #stepPlain(): readonly BlockNode[] | null {
    const from = this.#plainStart + this.#limits.blockCharacters;
    const blank = from < this.#text.length ? this.#text.indexOf("\n\n", from) : -1;
    const text = this.#text.slice(this.#plainStart, blank < 0 ? this.#text.length : blank);
    const node: BlockNode = { kind: "plain", text: text.trimEnd(), reason: "long" };
    if (blank < 0) return [node];
    this.#push(node);
    this.#plainStart = -1;
    this.#tableHead = "";
    this.#start = blank + 2;
    return this.#start < this.#text.length ? null : [];
  }

  #settle(blocks: readonly PlacedBlock[]): void {
    for (const { node } of blocks) {
      const isRestOfTable = this.#tableHead !== "";
      const rest = this.#asRest(node);
      this.#tableHead = "";
      this.#listGoesOn = false;
      if (isRestOfTable && node.kind === "table" && node.rows.length === 0) continue;
      this.#push(rest);
    }
    this.#index.add(blocks);
  }

  /** The first block after a cut, which may be the rest of the list before it. */
  #asRest(node: BlockNode): BlockNode {
    return this.#listGoesOn && node.kind === "list" ? { ...node, goesOn: true } : node;
  }

  #push(read: BlockNode): void {
    const before = this.#tail[0];
    const node = owned(before ? (reuseBlocks([before], [read])[0] ?? read) : read);
    this.#tail = this.#tail.slice(1);
    const place = Math.floor(this.#settledCount / GROUP_SIZE);
    this.#groups[place] = [...(this.#groups[place] ?? []), node];
    this.#settledCount++;
  }

  #made(tail: readonly BlockNode[], pending: boolean): MarkdownDocument {
    this.#definitions = this.#index.with(this.#defining);
    this.#defining = [];
    this.#tail = reuseBlocks(this.#tail, tail);
    const groups = this.#groups.slice();
    let count = this.#settledCount;
    for (const node of this.#tail) {
      const place = Math.floor(count / GROUP_SIZE);
      groups[place] = [...(groups[place] ?? []), node];
      count++;
    }
    const isAllShown = this.#show(groups, count);
    return {
      groups,
      definitions: this.#definitions,
      growing: this.#streaming && !pending && isAllShown,
      pending: pending || !isAllShown,
    };
  }

  /** Takes from `groups`, which hold `total` blocks, what there is no time for in this update. True when nothing. */
  #show(groups: (readonly BlockNode[])[], total: number): boolean {
    let weight = 0;
    let count = Math.min(this.#shownCount, total);
    for (; count < total; count++) {
      const node = groups[Math.floor(count / GROUP_SIZE)]?.[count % GROUP_SIZE];
      const more = node ? Math.min(blockWeight(node), SHOWN_WEIGHT_STEP) : 0;
      if (weight > 0 && weight + more > this.#limits.weightPerUpdate) break;
      weight += more;
    }
    this.#shownCount = count;
    if (count === total) return true;
    groups.length = Math.ceil(count / GROUP_SIZE);
    const last = groups.at(-1);
    if (last) groups[groups.length - 1] = last.slice(0, count - (groups.length - 1) * GROUP_SIZE);
    return false;
  }
}

function endsBefore(block: PlacedBlock, line: number, starts: LineStarts, completeEnd: number): boolean {
  if (block.ended === "now") return true;
  return block.ended === "at blank line" && starts.offset(line + 1) <= completeEnd && starts.isBlank(line);
}
