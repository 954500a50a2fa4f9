import { expect, it } from "vitest";
import { DiagramProblem, drawDiagram, refusal } from "./diagram";
import { safePicture } from "./safePicture";

it.each([
  "graph TD\n A\n style A fill:url(https://evil.example)",
  "graph TD\n A\n style A fill:u\u0072l (x)",
  '%%{init: {"themeCSS": "@import x"}}%%\ngraph TD\n A',
  'graph LR\n A@{ img: "https://evil.example/x.png" }',
  'graph TD\n A["<img src=x>"]',
  'graph TD\n A["<  SCRIPT>"]',
  "sequenceDiagram\n participant A\n link A: x @ https://evil.example",
])("[X3] %s is not drawn", async (source) => {
  expect(refusal(source)).toContain("outside content");
  await expect(drawDiagram(source, "light", new AbortController().signal)).rejects.toBeInstanceOf(DiagramProblem);
});

it("[X3] an ordinary diagram is, and one that is too large is not", () => {
  expect(refusal('sequenceDiagram\n A->>B: see https://example.com, image of "x"')).toBeNull();
  expect(refusal("x".repeat(10_000))).toContain("too large");
});

it("[X3] a picture holds shapes and words only", () => {
  const drawing = `<svg viewBox="0 0 100 50" style="max-width:1px" onload="evil()">
    <script>evil()</script><style>@import "x"</style>
    <a xlink:href="javascript:evil()"><text onclick="evil()">words</text></a>
    <image href="https://evil.example/x"/><use href="#a"/><use href="https://evil.example/#a"/>
    <rect fill="url(#a)" style="fill:url(https://evil.example/)"/>
    <foreignObject><div xmlns="http://www.w3.org/1999/xhtml"><p>label<br></p><iframe src="x"></iframe><img src="x"></div></foreignObject>
  </svg>`;
  const picture = safePicture(drawing, "#a{fill:red}");
  expect([picture?.width, picture?.height]).toEqual([100, 50]);
  const file = new DOMParser().parseFromString(picture?.svg ?? "", "image/svg+xml");
  expect([...file.querySelectorAll("*")].map((element) => element.localName)).toEqual([
    "svg",
    "style",
    "text",
    "use",
    "use",
    "rect",
    "foreignObject",
    "div",
    "p",
    "br",
  ]);
  expect(file.querySelector("text")?.textContent).toBe("words");
  expect(picture?.svg).not.toMatch(/evil|javascript|import/);
  expect(file.querySelector("style")?.textContent).toBe("#a{fill:red}");
});

it("[X3] style rules that reach out are left away", () => {
  expect(safePicture('<svg viewBox="0 0 1 1"></svg>', "a{b:url(//evil.example)}")?.svg).not.toContain("style");
  expect(safePicture('<svg viewBox="0 0 1 1"></svg>', 'a{content:"</style><script>"}')?.svg).not.toContain("<script");
  expect(safePicture("<p>none</p>", "")).toBeNull();
  expect(safePicture("<svg></svg>", "")).toBeNull();
});
