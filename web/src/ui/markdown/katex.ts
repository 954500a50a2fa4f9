/** KaTeX with its style sheet and fonts: loaded with the first formula, never before. */
import katex from "katex";
import "katex/dist/katex.min.css";

/** Draws `tex` into `target`. Throws where it is not valid TeX. */
export function drawFormula(target: HTMLElement, tex: string, display: boolean): void {
  katex.render(tex, target, {
    displayMode: display,
    output: "htmlAndMathml",
    throwOnError: true,
    strict: "ignore",
    // No \href, \includegraphics or \htmlClass; sizes and macro expansion bounded (X3).
    trust: false,
    maxSize: 12,
    maxExpand: 300,
  });
}
