/** Replies as models write them, and the odd ones: what the tests stream at every prefix. */
export const SAMPLE_DOCUMENTS: Readonly<Record<string, string>> = {
  answer: `# How it works

Here is **bold**, *italic*, ***both***, ~~gone~~ and \`code\`.
A second line of the same paragraph, with a [link](https://example.com/a_(b)?q=1 "title").

- one
- two with \`inline\`
  - nested **item**
- three

1. first
2. second

   still second

> A quotation
> over two lines.

---

Done.
`,
  fences: `Text before:
\`\`\`python
def f(x):
    return x ** 2

print(f"{f(3)}")
\`\`\`
Between.

~~~
tildes \`\`\` inside
~~~

\`\`\`\`markdown
# A document

\`\`\`js
console.log("inner")
\`\`\`

still the outer one
\`\`\`\`

After.
`,
  fenceInList: `Steps:

1. Install it:

   \`\`\`sh
   npm install
   | not | a table |
   \`\`\`

2. Run it:
   \`\`\`sh
   npm start
   \`\`\`

- \`\`\`
  code at once
  \`\`\`
`,
  table: `| Name | Price | Note |
|:-----|------:|:----:|
| apple | $1.50 | a \\| pipe |
| pear | $2 | line<br>two |
| \`x|y\` | 3 |

text after | with a pipe
`,
  tableAfterText: `Some text:
| a | b |
|---|---|
| 1 | 2 |
Last row without pipes
`,
  formulas: `Euler: $e^{i\\pi} + 1 = 0$, and \\(a^2 + b^2 = c^2\\).

$$
\\int_0^1 x^2 \\, dx = \\frac{1}{3}
$$

\\[
\\sum_{i=1}^n i = \\frac{n(n+1)}{2}
\\]

It costs $50 to $100, or US$5-$10. Set \`$HOME\` and $PATH.
`,
  tasks: `Plan:

- [x] done
- [ ] open
  - [ ] nested
- not a task
`,
  footnotes: `A claim[^1] and another[^note], none for [^missing].

[^1]: The source.
[^note]: Longer, with **bold**

    and a second paragraph.

After the notes.
`,
  references: `See [the docs][docs], [other] and [none].

[docs]: https://example.com/docs "The docs"
[other]:
  https://example.com/other

Again [docs].
`,
  looseLists: `* a

* b
  continued

      indented code

+ other list

10. ten
11. eleven
`,
  setext: `A title
=======

Another
---

Text:
- item
- item
Not lazy? It is.
`,
  html: `<div onclick="x()">raw</div>

<script>alert(1)</script>

a <b>bold</b> & &amp; &lt;i&gt;
`,
  mermaid: `\`\`\`mermaid
graph TD
  A[Start] --> B{Ok?}
  B -->|yes| C[End]
\`\`\`
`,
  unclosed: `Here it comes:

\`\`\`ts
const a = 1;
// never closed

const b = 2;
`,
  emphasisOddities: `2*3*4 and snake_case_name and __init__ and **bold*not* **.

* not closed *here
**open to the end
`,
  languages: `日本語の文章。**太字**です。

نص عربي مع \`code\` في الوسط.

Emoji 👩‍👩‍👧 and é and zero\u200bwidth and \u202eoverride\u202c.
`,
  quotes: `> quote
> - list in it
>   \`\`\`js
>   code()
>   \`\`\`
> end
lazy line

> > nested
> back
`,
  windows: "Line one\r\nLine two\r\n\r\n```js\r\ncode()\r\n```\r\n\r\nEnd.\r\n",
  numbers: `42

1
2

3. three

- 

-
`,
  brackets: `Array a[0](x) and [1] and [a][b] ![image](https://example.com/x.png) ![alt][docs]

[link with **bold** and \`code\`](https://example.com)
<https://example.com/auto> https://example.com/bare. mailto:a@b.c
`,
};
