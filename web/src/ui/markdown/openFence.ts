/** A fence that is open at the end of a growing text: it is searched for its end, and never read again. */

import { owned } from "../../owned";
import { type CodeNode, type PlacedBlock, withoutLastBreak } from "./blockNode";
import { shownEnd } from "./growing";

const OPENING = /^( {0,3})(`{3,}|~{3,})/;
const MAX_CLOSING_LINE = 1_000;

export class OpenFence {
  readonly #info: string;
  readonly #indent: number;
  readonly #contentStart: number;
  readonly #closing: RegExp;
  /** Everything before it was searched for the closing fence. */
  #searched: number;

  private constructor(info: string, indent: number, contentStart: number, marker: string) {
    this.#info = info;
    this.#indent = indent;
    this.#contentStart = contentStart;
    this.#searched = contentStart;
    this.#closing = new RegExp(`^ {0,3}${marker.charAt(0)}{${marker.length},}[ \\t]*$`);
  }

  /** The fence that begins at `start` of `text`, read as `block`. Null where it is closed, or its first line not full. */
  static at(text: string, start: number, block: PlacedBlock): OpenFence | null {
    if (block.node.kind !== "code" || block.node.closed) return null;
    const [, indent = "", marker] = OPENING.exec(text.slice(start, start + MAX_CLOSING_LINE)) ?? [];
    const contentStart = text.indexOf("\n", start) + 1;
    return marker && contentStart > 0 ? new OpenFence(block.node.info, indent.length, contentStart, marker) : null;
  }

  /** The code so far. `end` is where the next block begins; null while the fence, or its last line, may go on. */
  read(text: string, growing: boolean): { readonly node: CodeNode; readonly end: number | null } {
    for (; this.#searched < text.length; ) {
      const lineEnd = text.indexOf("\n", this.#searched);
      const end = lineEnd < 0 ? text.length : lineEnd;
      if (end - this.#searched < MAX_CLOSING_LINE && this.#closing.test(text.slice(this.#searched, end))) {
        return { node: this.#node(text, this.#searched, true), end: lineEnd < 0 ? null : lineEnd + 1 };
      }
      if (lineEnd < 0) break;
      this.#searched = lineEnd + 1;
    }
    const shown = growing ? this.#contentStart + shownEnd(text.slice(this.#contentStart)) : text.length;
    return { node: this.#node(text, Math.max(shown, this.#contentStart), false), end: null };
  }

  #node(text: string, end: number, closed: boolean): CodeNode {
    let code = owned(text.slice(this.#contentStart, end));
    if (this.#indent > 0) code = code.replace(new RegExp(`^ {1,${this.#indent}}`, "gm"), "");
    return { kind: "code", info: this.#info, text: withoutLastBreak(code), closed };
  }
}
