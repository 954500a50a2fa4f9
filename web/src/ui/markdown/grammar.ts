/**
 * The one Markdown grammar of Talkfield: CommonMark with tables, strikethrough, bare addresses, footnotes and formulas, by
 * markdown-it. Raw HTML is text. Blocks and the text inside them are read apart, so that a growing reply is read only
 * where it grows. It never renders, and never makes an address a link that `address.ts` refuses.
 */
import MarkdownIt from "markdown-it";
import { isRasterDataImage, linkAddress } from "./address";
import { addFootnotes } from "./footnoteRule";
import { addFormulas } from "./formulaRule";
import type { Grammar, Token } from "./grammarTypes";
import { MAX_BLOCK_LEVEL } from "./limits";

/** What `[label]: address "title"` says. */
export interface LinkDefinition {
  readonly href: string;
  readonly title: string;
}

/** What a whole message defines for all its blocks. Never changed; a new definition makes a new one. */
export interface Definitions {
  readonly links: ReadonlyMap<string, LinkDefinition>;
  readonly footnotes: ReadonlySet<string>;
}

export const NO_DEFINITIONS: Definitions = { links: new Map(), footnotes: new Set() };

export interface BlockTokens {
  readonly tokens: readonly Token[];
  /** What its `reference_definition` tokens say, one for each, in order. */
  readonly definitions: readonly LinkDefinition[];
  /** Lines at which lists or quotations were nested deeper than is drawn. */
  readonly tooDeepLines: readonly number[];
}

const markdown = createGrammar();

function createGrammar(): Grammar {
  const grammar = new MarkdownIt({ html: false, linkify: true, maxNesting: MAX_BLOCK_LEVEL });
  grammar.validateLink = (address) => linkAddress(address) !== null || isRasterDataImage(address);
  // By default bare addresses are shown decoded, from punycode too: shown as written, nothing can pose as another host.
  grammar.normalizeLinkText = (text) => text;
  addFormulas(grammar);
  addFootnotes(grammar);
  grammar.inline.ruler.before("html_inline", "cell_break", (state, silent) => {
    // The only way to break a line inside a table cell, and harmless: no other tag is read.
    if (state.env.cell !== true || state.src.charCodeAt(state.pos) !== 0x3c) return false;
    CELL_BREAK.lastIndex = state.pos;
    if (!CELL_BREAK.test(state.src)) return false;
    const end = CELL_BREAK.lastIndex;
    if (!silent) state.push("hardbreak", "br", 0);
    state.pos = end;
    return true;
  });
  grammar.inline.ruler2.after("balance_pairs", "unclosed", (state) => {
    const { unclosed } = state.env;
    if (!Array.isArray(unclosed)) return;
    for (const { marker, open, close, end } of state.delimiters) {
      // One that could close as well stands inside a word or a product: `2*3` opens nothing.
      if (open && !close && end < 0) unclosed.push(marker === TILDE ? "~~" : String.fromCharCode(marker));
    }
  });
  const { block } = grammar;
  const tokenize = block.tokenize;
  // Past `maxNesting` markdown-it drops what follows without a word; whoever draws must know.
  block.tokenize = (state, startLine, endLine) => {
    if (state.level >= MAX_BLOCK_LEVEL && Array.isArray(state.env.tooDeepLines)) state.env.tooDeepLines.push(startLine);
    tokenize.call(block, state, startLine, endLine);
  };
  return grammar;
}

const TILDE = 0x7e;
const CELL_BREAK = /<br\s?\/?>/iy;

/** The blocks of `source` as flat tokens; line ends must be `\n`. `growing`: more text may follow. */
export function blockTokens(source: string, growing: boolean): BlockTokens {
  const tokens: Token[] = [];
  const tooDeepLines: number[] = [];
  const definitions: LinkDefinition[] = [];
  // markdown-it keeps only the first definition of a label; here each is kept, to show what was written.
  const references = new Proxy<Record<string, LinkDefinition>>(
    {},
    {
      get: () => undefined,
      set: (_, _label, definition) => definitions.push(definition) > 0,
    },
  );
  markdown.block.parse(source, markdown, { references, growing, tooDeepLines }, tokens);
  return { tokens, definitions, tooDeepLines };
}

/** The text of one paragraph, heading or cell as tokens. */
export function inlineTokens(text: string, definitions: Definitions, cell = false): readonly Token[] {
  const tokens: Token[] = [];
  const references = new Proxy<Record<string, LinkDefinition>>(
    {},
    { get: (_, label) => (typeof label === "string" ? definitions.links.get(label) : undefined) },
  );
  markdown.inline.parse(text, markdown, { references, footnotes: definitions.footnotes, cell }, tokens);
  return tokens;
}

/** Markers that would end the emphasis which `text` leaves open, innermost first. */
export function closingMarkers(text: string): string {
  const unclosed: string[] = [];
  markdown.inline.parse(text, markdown, { unclosed }, []);
  return unclosed.reverse().join("");
}
