/**
 * What one more token costs: `node src/ui/markdown/bench.mjs` in web/. Times the main thread's script work in jsdom, in
 * microseconds an update, for a reply that has reached 10 KB and 100 KB; layout is the browser's and not in it.
 *
 * "anew" draws the whole reply again with each token, as a component without memory does (at 100 KB it would be measured
 * wrong: the component spreads so long a text over several updates). Other renderers are measured
 * too where TALKFIELD_BENCH_PEERS names a folder with their packages (`npm install streamdown react-markdown remark-gfm
 * react react-dom`).
 */
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import react from "@vitejs/plugin-react";
import { JSDOM } from "jsdom";
import { createServer } from "vite";

process.env.NODE_ENV = "production";
const web = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

const { window } = new JSDOM("<!doctype html><body></body>", { pretendToBeVisual: true });
for (const name of ["window", "document", "HTMLElement", "Element", "Node", "MutationObserver", "getComputedStyle"]) {
  globalThis[name] = name === "window" ? window : window[name];
}

function section(number) {
  return `## Section ${number}: a heading with \`code\`

Here is a paragraph with **bold text**, *emphasis*, some \`inline code\`, and a [link](https://example.com/path/${number}).
It goes on for a while, as answers do, and it costs $5 to $10.

- first item with **bold**
- second item
  - nested item ${number}
- third item

\`\`\`python
def function_${number}(a, b):
    for index in range(10):
        print(f"{index}: {a + b}")
    return {"a": a, "b": [b, ${number}]}
\`\`\`

| name | value | note |
|---|---:|---|
| alpha | ${number} | one **two** |

1. step one
2. step two

`;
}

function reply(characters) {
  let text = "";
  for (let number = 1; text.length < characters; number++) text += section(number);
  return text.slice(0, characters);
}

const TOKEN_CHARACTERS = 5;

/** Median and 95th percentile of the time of `update` over the last tokens of `text`. */
function measure(text, tokens, update, rest) {
  const start = text.length - tokens * TOKEN_CHARACTERS;
  rest(text.slice(0, start));
  const times = [];
  for (let end = start + TOKEN_CHARACTERS; end <= text.length; end += TOKEN_CHARACTERS) {
    const grown = text.slice(0, end);
    const before = performance.now();
    update(grown);
    times.push((performance.now() - before) * 1_000);
  }
  times.sort((a, b) => a - b);
  const at = (part) => Math.round(times[Math.floor((times.length - 1) * part)]);
  return { median: at(0.5), p95: at(0.95) };
}

function stage({ createElement, createRoot, flushSync }, draw) {
  const element = document.createElement("div");
  document.body.append(element);
  const root = createRoot(element);
  return {
    show: (text) => flushSync(() => root.render(draw(createElement, text))),
    end: () => {
      root.unmount();
      element.remove();
    },
  };
}

async function peers() {
  const folder = process.env.TALKFIELD_BENCH_PEERS;
  if (!folder) return [];
  const require = createRequire(path.join(folder, "package.json"));
  const load = async (name) => await import(pathToFileURL(require.resolve(name)).href);
  const parts = {
    createElement: (await load("react")).default.createElement,
    createRoot: (await load("react-dom/client")).default.createRoot,
    flushSync: (await load("react-dom")).default.flushSync,
  };
  const importEntry = async (name) => {
    const { default: data } = await import(
      pathToFileURL(path.join(folder, "node_modules", name, "package.json")).href,
      {
        with: { type: "json" },
      }
    );
    const entry = data.exports?.["."]?.import?.default ?? data.exports?.["."]?.import ?? data.exports ?? data.module;
    return await import(pathToFileURL(path.join(folder, "node_modules", name, entry)).href);
  };
  const { Streamdown } = await importEntry("streamdown");
  const { default: ReactMarkdown } = await importEntry("react-markdown");
  const { default: remarkGfm } = await importEntry("remark-gfm");
  return [
    ["streamdown", parts, (create, text) => create(Streamdown, { controls: false }, text)],
    ["react-markdown", parts, (create, text) => create(ReactMarkdown, { remarkPlugins: [remarkGfm] }, text)],
  ];
}

const server = await createServer({
  root: web,
  configFile: false,
  logLevel: "error",
  plugins: [react()],
  server: { middlewareMode: true },
  appType: "custom",
});
try {
  const { default: Markdown } = await server.ssrLoadModule("/src/ui/markdown/Markdown.tsx");
  const own = {
    createElement: (await import("react")).createElement,
    createRoot: (await import("react-dom/client")).createRoot,
    flushSync: (await import("react-dom")).flushSync,
  };
  const variants = [
    ["this one", own, (create, text) => create(Markdown, { text, streaming: true })],
    ["anew", own, (create, text) => create(Markdown, { key: text.length, text, streaming: true })],
    ...(await peers()),
  ];
  for (const [size, tokens] of [
    [10_000, 200],
    [100_000, 40],
  ]) {
    const text = reply(size);
    for (const [name, parts, draw] of variants) {
      if (name === "anew" && size > 10_000) continue;
      const { show, end } = stage(parts, draw);
      const settle = async (grown) => {
        for (let step = 0; step < 60; step++) {
          show(grown);
          await new Promise((done) => setTimeout(done));
        }
      };
      if (name === "this one") await settle(text.slice(0, text.length - tokens * TOKEN_CHARACTERS));
      measure(text, Math.min(tokens, 20), show, show);
      const { median, p95 } = measure(text, tokens, show, show);
      process.stdout.write(`${String(size / 1_000).padStart(4)} KB  ${name.padEnd(16)} ${median} µs (p95 ${p95})\n`);
      end();
    }
  }
} finally {
  await server.close();
}
process.exit(0);
