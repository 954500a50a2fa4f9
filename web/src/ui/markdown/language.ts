/** Languages that code is coloured in. Each is loaded with the first block that names it; others stay plain. */
import type { LanguageFn } from "highlight.js";

interface Language {
  /** What people call it. */
  readonly name: string;
  readonly load: () => Promise<{ default: LanguageFn }>;
  /** Other names that models write after a fence. */
  readonly also?: readonly string[];
  /** Languages that may stand inside it. */
  readonly within?: readonly string[];
}

export const LANGUAGES: Readonly<Record<string, Language>> = {
  bash: { name: "Bash", load: () => import("highlight.js/lib/languages/bash"), also: ["sh", "zsh"] },
  c: { name: "C", load: () => import("highlight.js/lib/languages/c"), also: ["h"] },
  clojure: { name: "Clojure", load: () => import("highlight.js/lib/languages/clojure"), also: ["clj", "edn"] },
  cmake: { name: "CMake", load: () => import("highlight.js/lib/languages/cmake") },
  cpp: {
    name: "C++",
    load: () => import("highlight.js/lib/languages/cpp"),
    also: ["c++", "cc", "cxx", "hpp", "cuda", "arduino"],
  },
  csharp: { name: "C#", load: () => import("highlight.js/lib/languages/csharp"), also: ["cs", "c#"] },
  css: { name: "CSS", load: () => import("highlight.js/lib/languages/css") },
  dart: { name: "Dart", load: () => import("highlight.js/lib/languages/dart") },
  diff: { name: "Diff", load: () => import("highlight.js/lib/languages/diff"), also: ["patch"] },
  dockerfile: { name: "Dockerfile", load: () => import("highlight.js/lib/languages/dockerfile"), also: ["docker"] },
  elixir: { name: "Elixir", load: () => import("highlight.js/lib/languages/elixir"), also: ["ex", "exs"] },
  erlang: { name: "Erlang", load: () => import("highlight.js/lib/languages/erlang"), also: ["erl"] },
  fsharp: { name: "F#", load: () => import("highlight.js/lib/languages/fsharp"), also: ["fs", "f#"] },
  go: { name: "Go", load: () => import("highlight.js/lib/languages/go"), also: ["golang"] },
  graphql: { name: "GraphQL", load: () => import("highlight.js/lib/languages/graphql"), also: ["gql"] },
  groovy: { name: "Groovy", load: () => import("highlight.js/lib/languages/groovy"), also: ["gradle"] },
  haskell: { name: "Haskell", load: () => import("highlight.js/lib/languages/haskell"), also: ["hs"] },
  http: { name: "HTTP", load: () => import("highlight.js/lib/languages/http"), within: ["json", "xml"] },
  ini: {
    name: "INI",
    load: () => import("highlight.js/lib/languages/ini"),
    also: ["toml", "cfg", "conf", "properties"],
  },
  java: { name: "Java", load: () => import("highlight.js/lib/languages/java") },
  javascript: {
    name: "JavaScript",
    load: () => import("highlight.js/lib/languages/javascript"),
    also: ["js", "jsx", "mjs", "cjs", "node"],
    within: ["xml", "css"],
  },
  json: { name: "JSON", load: () => import("highlight.js/lib/languages/json"), also: ["json5", "jsonc", "jsonl"] },
  julia: { name: "Julia", load: () => import("highlight.js/lib/languages/julia"), also: ["jl"] },
  kotlin: { name: "Kotlin", load: () => import("highlight.js/lib/languages/kotlin"), also: ["kt", "kts"] },
  latex: { name: "LaTeX", load: () => import("highlight.js/lib/languages/latex"), also: ["tex"] },
  less: { name: "Less", load: () => import("highlight.js/lib/languages/less") },
  lisp: { name: "Lisp", load: () => import("highlight.js/lib/languages/lisp"), also: ["elisp", "emacs-lisp"] },
  lua: { name: "Lua", load: () => import("highlight.js/lib/languages/lua") },
  makefile: { name: "Makefile", load: () => import("highlight.js/lib/languages/makefile"), also: ["make", "mk"] },
  markdown: {
    name: "Markdown",
    load: () => import("highlight.js/lib/languages/markdown"),
    also: ["md", "mdx"],
    within: ["xml"],
  },
  matlab: { name: "MATLAB", load: () => import("highlight.js/lib/languages/matlab"), also: ["octave"] },
  nginx: { name: "nginx", load: () => import("highlight.js/lib/languages/nginx") },
  nix: { name: "Nix", load: () => import("highlight.js/lib/languages/nix") },
  objectivec: { name: "Objective-C", load: () => import("highlight.js/lib/languages/objectivec"), also: ["objc"] },
  ocaml: { name: "OCaml", load: () => import("highlight.js/lib/languages/ocaml"), also: ["ml"] },
  perl: { name: "Perl", load: () => import("highlight.js/lib/languages/perl"), also: ["pl"] },
  php: { name: "PHP", load: () => import("highlight.js/lib/languages/php"), within: ["xml"] },
  powershell: {
    name: "PowerShell",
    load: () => import("highlight.js/lib/languages/powershell"),
    also: ["ps1", "pwsh"],
  },
  prolog: { name: "Prolog", load: () => import("highlight.js/lib/languages/prolog") },
  protobuf: { name: "Protocol Buffers", load: () => import("highlight.js/lib/languages/protobuf"), also: ["proto"] },
  python: { name: "Python", load: () => import("highlight.js/lib/languages/python"), also: ["py", "python3", "pyi"] },
  r: { name: "R", load: () => import("highlight.js/lib/languages/r") },
  ruby: { name: "Ruby", load: () => import("highlight.js/lib/languages/ruby"), also: ["rb"] },
  rust: { name: "Rust", load: () => import("highlight.js/lib/languages/rust"), also: ["rs"] },
  scala: { name: "Scala", load: () => import("highlight.js/lib/languages/scala") },
  scheme: { name: "Scheme", load: () => import("highlight.js/lib/languages/scheme"), also: ["racket"] },
  scss: { name: "SCSS", load: () => import("highlight.js/lib/languages/scss"), also: ["sass"] },
  shell: {
    name: "Shell session",
    load: () => import("highlight.js/lib/languages/shell"),
    also: ["console", "terminal"],
    within: ["bash"],
  },
  sql: { name: "SQL", load: () => import("highlight.js/lib/languages/sql"), also: ["sqlite", "postgresql", "mysql"] },
  swift: { name: "Swift", load: () => import("highlight.js/lib/languages/swift") },
  typescript: {
    name: "TypeScript",
    load: () => import("highlight.js/lib/languages/typescript"),
    also: ["ts", "tsx", "mts"],
    within: ["xml", "css"],
  },
  verilog: { name: "Verilog", load: () => import("highlight.js/lib/languages/verilog"), also: ["sv", "systemverilog"] },
  vim: { name: "Vim script", load: () => import("highlight.js/lib/languages/vim") },
  wasm: { name: "WebAssembly", load: () => import("highlight.js/lib/languages/wasm"), also: ["wat"] },
  x86asm: { name: "Assembly", load: () => import("highlight.js/lib/languages/x86asm"), also: ["asm", "nasm"] },
  xml: {
    name: "HTML, XML",
    load: () => import("highlight.js/lib/languages/xml"),
    also: ["html", "svg", "vue", "svelte", "xhtml", "plist"],
    within: ["javascript", "css"],
  },
  yaml: { name: "YAML", load: () => import("highlight.js/lib/languages/yaml"), also: ["yml"] },
};

const BY_NAME = new Map<string, string>();
for (const [id, { also = [] }] of Object.entries(LANGUAGES)) for (const name of [id, ...also]) BY_NAME.set(name, id);

/** The first word after a fence, as it was written: what the block is labelled with. */
export function languageLabel(info: string): string {
  return /^[^\s{,:]{1,40}/.exec(info)?.[0] ?? "";
}

/** Key of `LANGUAGES` for what stands after a fence; null where nobody can colour it. */
export function languageOf(info: string): string | null {
  return BY_NAME.get(languageLabel(info).toLowerCase()) ?? null;
}
