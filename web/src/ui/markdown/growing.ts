/**
 * How the end of a growing reply is drawn before its meaning is certain, so that no marker flashes by: what could still
 * become a marker waits a moment, what was opened counts as closed. Only ever used on the last block of a reply that is
 * being written; a finished one is drawn exactly as it was written.
 */
import { closingMarkers } from "./grammar";

const MAX_HELD_CHARACTERS = 64;
const MAX_ADDRESS_CHARACTERS = 2_000;

/** A line that so far is nothing but the start of a list, fence, heading, rule, table or formula. */
const HELD_LINE =
  /^(?:[ \t>]|[-+*] |\d{1,9}[.)] )*(?:[-+*]|\d{1,9}[.)]?|\[[ xX]?\]?|#{1,6}|`{1,2}|~{1,2}|-+|=+|\*+|_+|\$|\\|[|:\s-]+)?[ \t]*$/;

const ROW_START = /^\s*\|/;
const DELIMITER_START = /^[\s|:-]*$/;

/** End of what is shown of `source`: its last line waits where it is still only a marker. */
export function shownEnd(source: string): number {
  const lineStart = source.lastIndexOf("\n") + 1;
  if (lineStart === source.length || source.length - lineStart > MAX_HELD_CHARACTERS) return source.length;
  return HELD_LINE.test(source.slice(lineStart)) ? lineStart : source.length;
}

/** `source` with the second row of a table that so far has only its first. */
export function withTableStart(source: string): string {
  const lines = [source.length];
  for (let at = source.length; lines.length < 4 && at > 0; ) {
    at = source.lastIndexOf("\n", at - 1);
    lines.push(at);
    if (at < 0) break;
  }
  const line = (fromEnd: number) => {
    const start = lines[fromEnd + 1];
    return start === undefined ? "" : source.slice(start + 1, lines[fromEnd]);
  };
  const headFromEnd = ROW_START.test(line(0)) && !DELIMITER_START.test(line(0)) ? 0 : 1;
  const head = line(headFromEnd);
  if (!ROW_START.test(head) || ROW_START.test(line(headFromEnd + 1))) return source;
  if (headFromEnd === 1 && !DELIMITER_START.test(line(0))) return source;
  const cells = head
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split(/(?<!\\)\|/);
  if (cells.length === 0 || cells.length > 100) return source;
  const indent = head.slice(0, head.indexOf("|"));
  return `${source.slice(0, lines[headFromEnd])}\n${indent}|${"-|".repeat(cells.length)}`;
}

/** The text of a growing paragraph with all it leaves open closed. */
export function withOpenClosed(text: string): string {
  const code = openCode(text);
  if (code) {
    const before = text.slice(0, code.start);
    const inside = text.slice(code.start + code.length).replace(/[`\s]+$/, "");
    if (inside === "") return withOpenClosed(before.trimEnd());
    const fence = "`".repeat(code.length);
    return before + fence + inside + fence + closingMarkers(before);
  }
  const shown = withoutOpenAddress(text).replace(/[*_~]+$/, "");
  const trimmed = shown.trimEnd();
  return trimmed + closingMarkers(trimmed);
}

/** Where a code span begins that nothing ends yet. */
function openCode(text: string): { start: number; length: number } | null {
  let open: { start: number; length: number } | null = null;
  for (let at = text.indexOf("`"); at >= 0; at = text.indexOf("`", at)) {
    const start = at;
    while (text.charCodeAt(at) === 0x60) at++;
    const escaped = !open && start > 0 && text.charCodeAt(start - 1) === 0x5c;
    if (open) {
      if (open.length === at - start) open = null;
    } else if (!escaped) open = { start, length: at - start };
  }
  return open;
}

/** A link whose address is still being written shows its words only. */
function withoutOpenAddress(text: string): string {
  const middle = text.lastIndexOf("](");
  if (middle < 0 || text.length - middle > MAX_ADDRESS_CHARACTERS) return text;
  const address = text.slice(middle + 2);
  if (/[)\n]/.test(address)) return text;
  const start = text.lastIndexOf("[", middle);
  if (start < 0 || text.slice(start, middle).includes("]")) return text;
  const from = text.charAt(start - 1) === "!" ? start - 1 : start;
  return text.slice(0, from) + text.slice(start + 1, middle);
}
