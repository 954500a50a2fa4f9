import { render, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { isRasterDataImage } from "./address";
import Markdown from "./Markdown";
import { XSS_VECTORS } from "./xssVectors";

const MAX_PREFIXES = 24;

/** All that must never be in the page, whatever the model wrote. */
function sins(root: ParentNode): string[] {
  const found: string[] = [];
  for (const element of root.querySelectorAll("*")) {
    const name = element.localName;
    if (!ALLOWED_ELEMENTS.has(name)) found.push(`<${name}>`);
    for (const { name: attribute, value } of element.attributes) {
      if (attribute.startsWith("on")) found.push(`${name} ${attribute}`);
      if (ADDRESSES.has(attribute) && !(name === "img" && attribute === "src" && isRasterDataImage(value))) {
        found.push(`${name} ${attribute}=${value}`);
      }
      if (attribute === "style" && /url|expression|position|behavior|import/i.test(value.replace(KATEX_POSITION, ""))) {
        found.push(`${name} style=${value}`);
      }
      if (attribute === "id" || (attribute === "name" && name !== "button"))
        found.push(`${name} ${attribute}=${value}`);
    }
  }
  return found;
}

const KATEX_POSITION = /position:\s*relative;?/;
const ADDRESSES = new Set(
  "href src srcset xlink:href action formaction poster background data ping cite longdesc srcdoc".split(" "),
);
const ALLOWED_ELEMENTS = new Set(
  (
    "div p span h1 h2 h3 h4 h5 h6 ul ol li blockquote hr br em strong s sup code pre table thead tbody tr th td input " +
    "img button figure svg path rect line polyline circle " +
    "math semantics annotation mrow mi mo mn ms mtext mspace msup msub msubsup mfrac msqrt mroot mstyle mpadded mphantom " +
    "mtable mtr mtd mover munder munderover menclose merror"
  ).split(" "),
);

describe("[X3] hostile text", { timeout: 60_000 }, () => {
  it("[X3] there are at least 200 of them", () => {
    expect(new Set(XSS_VECTORS).size).toBeGreaterThanOrEqual(200);
  });

  it("[X3] none gets anything into the page but words, at any prefix", () => {
    const { container, rerender } = render(<Markdown text="" streaming />);
    for (const vector of XSS_VECTORS) {
      const step = Math.max(1, Math.ceil(vector.length / MAX_PREFIXES));
      for (let end = 1; end < vector.length; end += step) {
        rerender(<Markdown text={vector.slice(0, end)} streaming />);
        expect(sins(container), vector.slice(0, end)).toEqual([]);
      }
      rerender(<Markdown text={vector} streaming={false} />);
      expect(sins(container), vector).toEqual([]);
    }
  });

  it("[X3] formulas are drawn without links, pictures or styles of the model's choice", async () => {
    const formulas = XSS_VECTORS.filter((vector) => /^(?:\$|\\[([])/.test(vector));
    expect(formulas.length).toBeGreaterThan(15);
    const { container } = render(<Markdown text={formulas.join("\n\n")} streaming={false} />);
    await waitFor(() => expect(container.querySelectorAll(".katex").length).toBeGreaterThan(3), { timeout: 30_000 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(sins(container)).toEqual([]);
  });

  it("[X3] the check sees what it must see", () => {
    const page = new DOMParser().parseFromString(
      "<script></script><img src=//evil.example><a href=x></a><p onclick=x></p><p style='background:url(x)'></p>",
      "text/html",
    );
    expect(sins(page.body)).toEqual([
      "img src=//evil.example",
      "<a>",
      "a href=x",
      "p onclick",
      "p style=background:url(x)",
    ]);
  });
});
