import { expect, it } from "vitest";
import { isDrawable } from "./formula";
import { drawFormula } from "./katex";

it.each([
  "\\def\\a{xxxxxxxxxx}\\a\\a",
  "\\gdef\\a{x}",
  "\\newcommand{\\a}{x}",
  "\\renewcommand\\a x",
  "\\let\\a=\\b",
  `${"\\frac1{".repeat(50)}x${"}".repeat(50)}`,
  "x".repeat(2_000),
  "\\href{https://example.com}{x}",
  "\\htmlStyle{color:red}{x}",
])("[U5] %s is not drawn", (tex) => {
  expect(isDrawable(tex)).toBe(false);
});

it.each(["x", "\\left( \\frac{a}{b} \\right)", "\\definecolor", "\\letter", "\\{".repeat(100)])(
  "[U5] %s is drawn",
  (tex) => {
    expect(isDrawable(tex)).toBe(true);
  },
);

it.each([
  "\\href{https://evil.example}{x}",
  "\\includegraphics{https://evil.example/x.png}",
  "\\htmlStyle{position:fixed}{x}",
])("[X3] %s makes nothing but words, even when it is drawn", (tex) => {
  const target = document.createElement("span");
  drawFormula(target, tex, false);
  expect(target.querySelector("a, img, [href], [src], [style*=fixed]")).toBeNull();
});
