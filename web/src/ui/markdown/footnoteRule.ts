/** Reads footnotes: `[^1]` in text, `[^1]: …` with indented lines below it. They stay where they were written. */
import type { BlockRule, Grammar, InlineRule } from "./grammarTypes";

const REFERENCE = /\[\^([^\]\s]{1,80})\]/y;
const DEFINITION = /\[\^([^\]\s]{1,80})\]:/y;

const footnoteReference: InlineRule = (state, silent) => {
  REFERENCE.lastIndex = state.pos;
  const label = REFERENCE.exec(state.src)?.[1];
  if (label === undefined || REFERENCE.lastIndex > state.posMax) return false;
  const known = state.env.footnotes;
  if (!(known instanceof Set) || !known.has(label)) return false;
  const end = REFERENCE.lastIndex;
  if (!silent) state.push("footnote_reference", "", 0).content = label;
  state.pos = end;
  return true;
};

const footnoteDefinition: BlockRule = (state, startLine, endLine, silent) => {
  const indent = state.sCount[startLine] ?? 0;
  if (indent - state.blkIndent >= 4) return false;
  const lineStart = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
  DEFINITION.lastIndex = lineStart;
  const label = DEFINITION.exec(state.src)?.[1];
  if (label === undefined) return false;
  if (silent) return true;
  const textStart = DEFINITION.lastIndex;
  const end = state.eMarks[startLine] ?? 0;
  const initial = indent + textStart - lineStart;
  let offset = initial;
  let at = textStart;
  for (; at < end; at++) {
    const code = state.src.charCodeAt(at);
    if (code === 9) offset += 4 - (offset % 4);
    else if (code === 32) offset++;
    else break;
  }
  const open = state.push("footnote_open", "", 1);
  open.content = label;
  const lines: [number, number] = [startLine, startLine];
  open.map = lines;
  const saved = [state.bMarks[startLine], state.tShift[startLine], state.sCount[startLine]] as const;
  const parent = state.parentType;
  state.bMarks[startLine] = textStart;
  state.tShift[startLine] = at - textStart;
  state.sCount[startLine] = offset - initial + state.blkIndent + 4;
  state.blkIndent += 4;
  state.parentType = "footnote";
  state.md.block.tokenize(state, startLine, endLine);
  state.parentType = parent;
  state.blkIndent -= 4;
  state.bMarks[startLine] = saved[0] ?? 0;
  state.tShift[startLine] = saved[1] ?? 0;
  state.sCount[startLine] = saved[2] ?? 0;
  if (state.line <= startLine) state.line = startLine + 1;
  lines[1] = state.line;
  state.push("footnote_close", "", -1);
  return true;
};

/** Adds both rules. A reference is one only when `env.footnotes` holds its label. */
export function addFootnotes(grammar: Grammar): void {
  grammar.inline.ruler.before("link", "footnote_reference", footnoteReference);
  grammar.block.ruler.before("reference", "footnote", footnoteDefinition, { alt: ["paragraph", "reference"] });
}
