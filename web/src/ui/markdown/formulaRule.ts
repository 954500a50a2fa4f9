/**
 * Reads formulas: `$x$`, `\(x\)`, and on lines of their own `$$ … $$`, `\[ … \]`. A dollar sign that could be a price is
 * text (U5): the closing sign must be the next one, touch its formula and not be followed by a letter or digit.
 */
import type { BlockRule, Grammar, InlineRule } from "./grammarTypes";
import { MAX_FORMULA_CHARACTERS } from "./limits";

const DOLLAR = 0x24;
const BACKSLASH = 0x5c;
const MAX_LINES = 40;

/** `5 for one and US` between two dollar signs is prose: an amount, then a word or a list. */
const AMOUNT_THEN_WORDS = /^\d[\d.,]*(?:,\s|\s*[A-Za-z]{2,})/;
const FORMULA_SIGNS = /[\\^_=+{}<>]/;

function isWordCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function isSpaceCode(code: number): boolean {
  return code === 32 || code === 9 || code === 10;
}

/** Position of the dollar sign that closes the formula opened before `start`, or -1. */
function closingDollar(source: string, start: number, end: number): number {
  const limit = Math.min(end, start + MAX_FORMULA_CHARACTERS);
  for (let at = start; at < limit; at++) {
    const code = source.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === DOLLAR) {
      const touches = at > start && !isSpaceCode(source.charCodeAt(at - 1));
      const followed = at + 1 < end && (isWordCode(source.charCodeAt(at + 1)) || source.charCodeAt(at + 1) === DOLLAR);
      if (!touches || followed) return -1;
      const content = source.slice(start, at);
      return AMOUNT_THEN_WORDS.test(content) && !FORMULA_SIGNS.test(content) ? -1 : at;
    }
  }
  return -1;
}

const inlineFormula: InlineRule = (state, silent) => {
  const { src, pos, posMax } = state;
  const code = src.charCodeAt(pos);
  let open: string;
  let close: number;
  if (code === BACKSLASH) {
    open = src.slice(pos, pos + 2);
    if (open !== "\\(" && open !== "\\[") return false;
    close = indexWithin(src, open === "\\(" ? "\\)" : "\\]", pos + 2, posMax);
    if (close < 0) return false;
  } else if (code === DOLLAR) {
    if (src.charCodeAt(pos + 1) === DOLLAR) {
      open = "$$";
      close = indexWithin(src, "$$", pos + 2, posMax);
      if (close < 0) {
        if (!silent) state.pending += "$$";
        state.pos = Math.min(pos + 2, posMax);
        return true;
      }
    } else {
      open = "$";
      const before = pos > 0 ? src.charCodeAt(pos - 1) : 32;
      if (isWordCode(before) || before === DOLLAR || isSpaceCode(src.charCodeAt(pos + 1))) return false;
      close = closingDollar(src, pos + 1, posMax);
      if (close < 0) return false;
    }
  } else return false;
  const content = src.slice(pos + open.length, close);
  if (content.trim() === "") return false;
  if (!silent) {
    const token = state.push("formula", "", 0);
    token.content = content;
    token.markup = src.slice(pos, close + open.length);
    token.meta = { display: open === "$$" || open === "\\[" };
  }
  state.pos = close + open.length;
  return true;
};

function indexWithin(source: string, wanted: string, from: number, end: number): number {
  const limit = Math.min(end, from + MAX_FORMULA_CHARACTERS);
  const at = source.slice(from, limit).indexOf(wanted);
  return at < 0 ? -1 : from + at;
}

const blockFormula: BlockRule = (state, startLine, endLine, silent) => {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const line = (index: number) =>
    state.src.slice((state.bMarks[index] ?? 0) + (state.tShift[index] ?? 0), state.eMarks[index]).trimEnd();
  const first = line(startLine);
  const open = first.slice(0, 2);
  if (open !== "$$" && open !== "\\[") return false;
  const close = open === "$$" ? "$$" : "\\]";
  const body = [first.slice(2)];
  const within = body[0]?.indexOf(close) ?? -1;
  let last = startLine;
  let closed = within >= 0;
  if (closed) {
    // Text after the closing sign: a sentence that begins with a formula, which the inline rule reads.
    if (within !== first.length - 4 || within === 0) return false;
    body[0] = first.slice(2, -2);
  }
  while (!closed) {
    last++;
    if (last >= endLine) break;
    // TeX ends a displayed formula at a blank line, so an unclosed one can never swallow the rest of a reply.
    if (state.isEmpty(last) || (state.sCount[last] ?? 0) < state.blkIndent || last - startLine > MAX_LINES)
      return false;
    const text = line(last);
    closed = text.endsWith(close);
    body.push(closed ? text.slice(0, -2) : text);
  }
  if (!closed && !(state.env.growing === true && last === state.lineMax)) return false;
  if (closed && body.join("").trim() === "") return false;
  if (silent) return true;
  state.line = closed ? last + 1 : last;
  const token = state.push("formula_block", "", 0);
  token.content = body.join("\n").trim();
  token.markup = open;
  token.map = [startLine, state.line];
  token.meta = { closed };
  return true;
};

/** Adds both rules. `env.growing` tells the block rule that an unclosed formula may still be closed. */
export function addFormulas(grammar: Grammar): void {
  grammar.inline.ruler.before("escape", "formula", inlineFormula);
  grammar.block.ruler.before("fence", "formula_block", blockFormula, {
    alt: ["paragraph", "reference", "blockquote", "list"],
  });
}
