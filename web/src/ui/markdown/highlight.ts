/** Colours code: which kind each part of it is. Pure but for loading grammars; runs in a worker. */
import { createLowlight } from "lowlight";
import { CODE_KINDS, type CodeKind, type Runs } from "./codeKinds";
import { LANGUAGES } from "./language";

const KIND_OF_SCOPE: Readonly<Record<string, CodeKind>> = {
  keyword: "keyword",
  operator: "plain",
  built_in: "function",
  type: "type",
  literal: "literal",
  number: "number",
  regexp: "string",
  string: "string",
  subst: "plain",
  symbol: "literal",
  variable: "property",
  title: "function",
  params: "plain",
  comment: "comment",
  doctag: "comment",
  meta: "meta",
  attr: "property",
  attribute: "property",
  property: "property",
  name: "keyword",
  tag: "plain",
  section: "heading",
  bullet: "literal",
  code: "string",
  link: "string",
  quote: "comment",
  addition: "addition",
  deletion: "deletion",
  "selector-tag": "keyword",
  "selector-class": "type",
  "selector-id": "type",
  "selector-attr": "property",
  "selector-pseudo": "property",
  "template-tag": "keyword",
  "template-variable": "property",
};

const lowlight = createLowlight();

/** Kinds of all parts of `code`. Null for a language that is not in the list. */
export async function highlightCode(code: string, language: string): Promise<Runs | null> {
  const known = LANGUAGES[language];
  if (!known) return null;
  for (const name of [language, ...(known.within ?? [])]) {
    const grammar = LANGUAGES[name];
    if (grammar && !lowlight.registered(name)) lowlight.register(name, (await grammar.load()).default);
  }
  const runs: number[] = [];
  const add = (kind: CodeKind, length: number) => {
    const index = CODE_KINDS.indexOf(kind);
    if (runs.at(-2) === index) runs.push((runs.pop() ?? 0) + length);
    else runs.push(index, length);
  };
  const walk = (nodes: readonly LowlightNode[], kind: CodeKind) => {
    for (const node of nodes) {
      if (node.type === "text") add(kind, node.value.length);
      else if (node.type === "element") walk(node.children, kindOf(node.properties.className, kind));
    }
  };
  walk(lowlight.highlight(language, code, { prefix: "" }).children, "plain");
  return runs;
}

type LowlightNode = ReturnType<typeof lowlight.highlight>["children"][number];

function kindOf(className: unknown, around: CodeKind): CodeKind {
  const names = Array.isArray(className) ? className.map(String) : [];
  if (names[0] === "title" && names.some((name) => name.startsWith("class"))) return "type";
  if (names[0] === "variable" && names.some((name) => name.startsWith("language"))) return "literal";
  return KIND_OF_SCOPE[names[0] ?? ""] ?? around;
}
