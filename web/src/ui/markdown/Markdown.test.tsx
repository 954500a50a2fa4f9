import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import Markdown from "./Markdown";
import { SAMPLE_DOCUMENTS } from "./sampleDocuments";

const documents = Object.entries(SAMPLE_DOCUMENTS);

function drawn(text: string, streaming = false) {
  const { container, rerender } = render(<Markdown text={text} streaming={streaming} />);
  const root = container.querySelector<HTMLElement>(".tf-markdown");
  if (!root) throw new Error("Nothing was drawn.");
  return {
    root,
    show: (next: string, more: boolean) => rerender(<Markdown text={next} streaming={more} />),
  };
}

/** The blocks of the message, in order. */
function blocksIn(root: HTMLElement): Element[] {
  return [...root.querySelectorAll(".tf-md-group > *")];
}

/** Text of everything but code, where fences may be content, and formulas, which are drawn later. */
function textOutsideCode(root: HTMLElement): string {
  const copy = root.cloneNode(true) as HTMLElement;
  for (const element of copy.querySelectorAll("pre, code, .tf-md-code-bar, .tf-md-formula")) element.remove();
  return copy.textContent ?? "";
}

describe("[U5] at every prefix", { timeout: 120_000 }, () => {
  it.each(documents)("[U5] %s: only the end changes", (name, written) => {
    const text = written.replaceAll("\r\n", "\n");
    const { root, show } = drawn("", true);
    let before: { element: Element; text: string }[] = [];
    for (let end = 1; end <= text.length; end++) {
      show(text.slice(0, end), true);
      const now = blocksIn(root).map((element) => ({ element, text: element.textContent ?? "" }));
      for (const [index, block] of before.slice(0, -2).entries()) {
        expect(now[index]?.element, JSON.stringify(text.slice(0, end))).toBe(block.element);
        // A definition turns its label, where it was used before, into a link.
        if (name !== "references" && name !== "footnotes") expect(now[index]?.text).toBe(block.text);
      }
      before = now;
    }
    const streamed = blocksIn(root);
    show(text, false);
    for (const [index, element] of streamed.slice(0, -2).entries()) expect(blocksIn(root)[index]).toBe(element);
    const whole = drawn(text).root;
    if (!root.isEqualNode(whole)) expect(root.innerHTML).toBe(whole.innerHTML);
  });

  it.each(["fences", "fenceInList", "unclosed", "mermaid", "quotes"])("[U5] %s: no fence is seen as text", (name) => {
    const text = SAMPLE_DOCUMENTS[name] ?? "";
    const { root, show } = drawn("", true);
    for (let end = 1; end <= text.length; end++) {
      show(text.slice(0, end), true);
      expect(textOutsideCode(root), JSON.stringify(text.slice(0, end))).not.toMatch(/```|~~~|(?:^|\n)\s*[`~]{1,2}\s*$/);
    }
  });

  it("[U5] plain paragraphs are what was written", () => {
    const text =
      "A first sentence, with 2 numbers and 3.5 more. It is short!\n\nAnother: one (two) three?\nSame one.\n\nLast";
    const { root, show } = drawn("", true);
    for (let end = 1; end <= text.length; end++) {
      show(text.slice(0, end), true);
      const expected = text
        .slice(0, end)
        .split("\n\n")
        .map((part) => part.trim())
        .filter((part) => part !== "");
      expect(blocksIn(root).map((element) => element.textContent)).toEqual(expected);
    }
  });

  it("[U5] no marker of emphasis, code or a link flashes by", () => {
    const text = "A **bold** and *soft* and `code` and ~~gone~~ and [link](https://example.com/a?b=c) end";
    const { root, show } = drawn("", true);
    for (let end = 1; end <= text.length; end++) {
      show(text.slice(0, end), true);
      expect(root.textContent).not.toMatch(/[*`~]|\]\(|https/);
    }
    expect(root.textContent).toBe("A bold and soft and code and gone and link end");
  });

  it("[U5] a nested fence stays inside the outer one", () => {
    const text = SAMPLE_DOCUMENTS.fences ?? "";
    const { root } = drawn(text);
    const blocks = [...root.querySelectorAll("pre")].map((pre) => pre.textContent);
    expect(blocks[2]).toBe('# A document\n\n```js\nconsole.log("inner")\n```\n\nstill the outer one');
    const inner = text.indexOf("still the outer");
    const { root: growing } = drawn(text.slice(0, inner), true);
    expect([...growing.querySelectorAll("pre")]).toHaveLength(3);
  });
});

describe("[U5] what is drawn", () => {
  it("[U5] tables, with alignment and line breaks", () => {
    const { root } = drawn(SAMPLE_DOCUMENTS.table ?? "");
    const rows = [...root.querySelectorAll("tr")].map((row) => [...row.children].map((cell) => cell.innerHTML));
    expect(rows).toEqual([
      ["Name", "Price", "Note"],
      ["apple", "$1.50", "a | pipe"],
      ["pear", "$2", "line<br>two"],
      ["`x", "y`", "3"],
    ]);
    expect([...root.querySelectorAll("th")].map((cell) => cell.dataset.align)).toEqual(["left", "right", "center"]);
  });

  it("[U5] tasks", () => {
    const { root } = drawn(SAMPLE_DOCUMENTS.tasks ?? "");
    const boxes = [...root.querySelectorAll<HTMLInputElement>("input")];
    expect(boxes.map((box) => [box.type, box.checked, box.disabled])).toEqual([
      ["checkbox", true, true],
      ["checkbox", false, true],
      ["checkbox", false, true],
    ]);
  });

  it.each([
    "It costs $50 to $100.",
    "US$5-$10, A$3",
    "$50-$100, $1,000 (~$1.2k)",
    "$HOME/$USER and $PATH",
    "between $5 and 10$ or so",
    "$ 5 $ 6 $",
    "**$5** and **$6**",
    "\\$x\\$",
    "`$x$`",
  ])("[U5] %s is no formula", (text) => {
    expect(drawn(text).root.querySelector(".tf-md-formula")).toBeNull();
  });

  it.each([
    ["$x$", "x"],
    ["so $a_1 * b_2$ and", "a_1 * b_2"],
    ["\\(x\\)", "x"],
    ["$2^{10}$", "2^{10}"],
    ["($x$)", "x"],
    ["$$x$$", "x"],
    ["$$\nx\n$$", "x"],
    ["\\[\nx\n\\]", "x"],
    ["- a:\n  $$\n  x\n  $$", "x"],
  ])("[U5] %s is one formula", async (text, tex) => {
    const { root } = drawn(text);
    expect(root.querySelectorAll(".tf-md-formula")).toHaveLength(1);
    await waitFor(() => expect(root.querySelector("annotation")?.textContent).toBe(tex), { timeout: 30_000 });
  });

  it("[U5] a formula that TeX does not understand stays as it was written", async () => {
    const { root } = drawn("$\\frac{1$ and $x$");
    await waitFor(() => expect(root.querySelectorAll(".katex")).toHaveLength(1));
    expect(root.querySelector(".tf-md-formula")?.textContent).toBe("$\\frac{1$");
  });

  it("[U5] footnotes lead to their place, wherever it comes", () => {
    const { root, show } = drawn("A claim[^1].\n\nMore.\n", true);
    expect(root.textContent).toContain("[^1]");
    show("A claim[^1].\n\nMore.\n\n[^1]: Because.\n", true);
    fireEvent.click(within(root).getByRole("button", { name: "Footnote 1" }));
    expect(document.activeElement?.textContent).toBe("1Because.");
  });

  it("[U5] raw HTML is text", () => {
    const { root } = drawn(SAMPLE_DOCUMENTS.html ?? "");
    expect(root.textContent).toBe('<div onclick="x()">raw</div><script>alert(1)</script>a <b>bold</b> & & <i>');
  });

  it("[U5] each block keeps its own direction", () => {
    const { root } = drawn(SAMPLE_DOCUMENTS.languages ?? "");
    expect(blocksIn(root).map((element) => element.getAttribute("dir"))).toEqual(["auto", "auto", "auto"]);
    expect(root.textContent).toContain("zero\u200bwidth and \u202eoverride\u202c.");
  });

  it("[U5] a diagram that asks for more than itself stays source, and a long one waits", async () => {
    drawn(`\`\`\`mermaid\ngraph LR\n A@{ img: "https://evil.example/x.png" }\n\`\`\`\n`);
    await screen.findByText(/asks for outside content/);
    expect(screen.queryByRole("button", { name: "Draw" })).toBeNull();
    drawn(`\`\`\`mermaid\ngraph LR\n${" A --> B\n".repeat(300)}\n\`\`\`\n`);
    expect(screen.getByRole("button", { name: "Draw" })).toBeTruthy();
  });

  it("[U5] marks piled on a letter stay in the text, and only the first are drawn", () => {
    const text = `a${"\u0301".repeat(500)} b`;
    const { root } = drawn(text);
    expect(root.textContent).toBe(text);
    expect(root.querySelector(".tf-md-undrawn")?.textContent).toHaveLength(476);
    expect(drawn("tiếng Việt, नमस्ते").root.querySelector(".tf-md-undrawn")).toBeNull();
  });

  it("[U5] code is copied as it was written, and wraps on demand", async () => {
    const copied: string[] = [];
    Object.defineProperty(navigator, "clipboard", {
      configurable: true,
      value: { writeText: async (text: string) => void copied.push(text) },
    });
    const { root } = drawn("```python\nprint(1)\n\n  x\n```");
    expect(root.querySelector(".tf-md-code-label")?.textContent).toBe("Python");
    fireEvent.click(screen.getByRole("button", { name: "Copy code" }));
    await screen.findByRole("button", { name: "Copied" });
    expect(copied).toEqual(["print(1)\n\n  x"]);
    expect(root.querySelector("pre")?.dataset.wraps).toBe("false");
    fireEvent.click(screen.getByRole("button", { name: "Wrap long lines" }));
    expect(root.querySelector("pre")?.dataset.wraps).toBe("true");
  });

  it("[U5] a long table comes in steps, and past a limit with a click", { timeout: 120_000 }, async () => {
    const rows = Array.from({ length: 1_700 }, (_, index) => `| ${index} |`).join("\n");
    const { root } = drawn(`| n |\n|---|\n${rows}\n`);
    expect(root.querySelectorAll("tbody tr").length).toBeLessThan(300);
    const more = await screen.findByText(/Show more of \d+ rows/, {}, { timeout: 30_000 });
    const shown = root.querySelectorAll("tbody tr").length;
    expect(shown).toBeGreaterThan(1_000);
    fireEvent.click(more);
    await waitFor(() => expect(root.querySelectorAll("tbody tr")).toHaveLength(1_700), { timeout: 30_000 });
  });

  it("[U5] a very long message is shown in parts, never cut in silence", async () => {
    const text = "word ".repeat(210_000);
    const { root } = drawn(text);
    await screen.findByText(/50,000 more characters of this reply are not shown/);
    fireEvent.click(screen.getByRole("button", { name: "Show more" }));
    await waitFor(() => expect(root.textContent?.length).toBeGreaterThan(1_049_000));
  });
});

describe("[X3] links and pictures", () => {
  it("[X3] a link shows its full address first, and opens with the second click", () => {
    const open = vi.spyOn(window, "open").mockReturnValue(null);
    const { root } = drawn("[bank.example](https://user@evil.example/path?q=1#x)");
    expect(root.querySelector("[href]")).toBeNull();
    const link = screen.getByRole("link", { name: "bank.example" });
    fireEvent.click(link);
    const panel = screen.getByRole("dialog", { name: "Open this address?" });
    expect(panel.querySelector("p")?.textContent).toBe("https://user@evil.example/path?q=1#x");
    expect(panel.querySelector("strong")?.textContent).toBe("evil.example");
    const opening = within(panel).getByRole("link");
    expect([opening.getAttribute("target"), opening.getAttribute("rel")]).toEqual(["_blank", "noreferrer noopener"]);
    expect(opening.getAttribute("href")).toBe("https://user@evil.example/path?q=1#x");
    expect(open).not.toHaveBeenCalled();
    fireEvent.click(link);
    expect(open.mock.calls).toEqual([["https://user@evil.example/path?q=1#x", "_blank", "noopener,noreferrer"]]);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("[X3] the keyboard opens it too, and Escape goes back", () => {
    drawn("[x](mailto:a@example.com)");
    const link = screen.getByRole("link", { name: "x" });
    fireEvent.keyDown(link, { key: "Enter" });
    expect(screen.getByRole("dialog").querySelector("strong")?.textContent).toBe("a@example.com");
    expect(document.activeElement?.getAttribute("href")).toBe("mailto:a@example.com");
    fireEvent.keyDown(document.activeElement ?? document.body, { key: "Escape" });
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("[X3] a picture from elsewhere is its words and its address", () => {
    const { root } = drawn("![a *chart*](https://evil.example/x.png?secret)");
    expect(root.querySelector("img")).toBeNull();
    expect(root.textContent).toBe("a chart https://evil.example/x.png?secret");
    fireEvent.click(screen.getByRole("link"));
    expect(screen.getByRole("dialog").textContent).toContain("https://evil.example/x.png?secret");
  });

  it("[X3] a picture that carries its own bytes is drawn", () => {
    const source = "data:image/png;base64,iVBORw0KGgo=";
    const { root } = drawn(`![dot](${source})`);
    expect(root.querySelector("img")?.getAttribute("src")).toBe(source);
  });

  it("[X3] two blocks of one reference become links when it is defined", () => {
    const { root, show } = drawn("See [docs].\n\nText.\n", true);
    const first = blocksIn(root)[0];
    show("See [docs].\n\nText.\n\n[docs]: https://example.com/d\n", true);
    expect(blocksIn(root)[0]).toBe(first);
    expect(first?.querySelector("[role=link]")?.getAttribute("title")).toBe("https://example.com/d");
    expect(blocksIn(root).at(-1)?.textContent).toBe("[docs]: https://example.com/d");
  });
});
