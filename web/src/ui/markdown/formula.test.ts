import { expect, it } from "vitest";
import { isDrawable } from "./formula";

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
