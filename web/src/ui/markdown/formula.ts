import { MAX_FORMULA_CHARACTERS, MAX_FORMULA_DEPTH } from "./limits";

/** A formula that defines macros can be a few words long and take KaTeX minutes, within its own limit of expansions. */
const DEFINES_MACROS = /\\(?:[egx]?def|(?:future)?let|(?:re)?newcommand|providecommand|global|long)\b/;

/** What KaTeX refuses here, and would draw as the bare name of the command: the rest would be lost from sight. */
const REACHES_OUT = /\\(?:href|url|includegraphics|html(?:Class|Id|Style|Data))\b/;

/** False for formulas that would hold the page up or hide a part of themselves: these stay as they were written. */
export function isDrawable(tex: string): boolean {
  if (tex.length > MAX_FORMULA_CHARACTERS || DEFINES_MACROS.test(tex) || REACHES_OUT.test(tex)) return false;
  let depth = 0;
  for (let at = 0; at < tex.length; at++) {
    const code = tex.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x7b && ++depth > MAX_FORMULA_DEPTH) return false;
    else if (code === 0x7d) depth--;
  }
  return true;
}
