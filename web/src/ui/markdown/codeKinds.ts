/** What parts of code can be, apart from the grammars that find out: the page needs only this. */

/** What parts of code look like; position in this list is what `Runs` hold. */
export const CODE_KINDS = [
  "plain",
  "keyword",
  "string",
  "number",
  "comment",
  "function",
  "type",
  "property",
  "literal",
  "meta",
  "addition",
  "deletion",
  "heading",
] as const;

export type CodeKind = (typeof CODE_KINDS)[number];

/** Pairs of kind and length that cover a text from its start to its end. */
export type Runs = readonly number[];
