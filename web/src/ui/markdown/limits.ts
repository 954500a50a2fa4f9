/**
 * How much of a reply is drawn the rich way. Past a limit the text is shown as it is, with a note, or behind a button:
 * never cut in silence. The figures behind them are in docs/adr/0008-chat-rendering.md.
 */
export interface MarkdownLimits {
  /** A top-level block longer than this is cut where its kind allows, else shown as plain text. */
  readonly blockCharacters: number;
  /** A list longer than this is cut between its items: it goes on as the next block. */
  readonly listCharacters: number;
  /** A paragraph, heading, item or cell longer than this is shown as plain text. */
  readonly inlineCharacters: number;
  /** New text worked on in one update; the rest follows in the next ones. */
  readonly charactersPerUpdate: number;
  /** New elements put into the page in one update, by `weight.ts`. */
  readonly weightPerUpdate: number;
}

export const LIMITS: MarkdownLimits = {
  blockCharacters: 16_384,
  listCharacters: 6_144,
  inlineCharacters: 4_096,
  charactersPerUpdate: 16_384,
  weightPerUpdate: 900,
};

/** Levels of lists and quotations inside each other, as markdown-it counts them: a list takes two. */
export const MAX_BLOCK_LEVEL = 48;

/** Emphasis inside emphasis: deeper ones keep their text and lose their look. */
export const MAX_INLINE_DEPTH = 24;

/** A message longer than this is shown in parts, one more with each click. */
export const MESSAGE_PART_CHARACTERS = 1_000_000;

/** So many of the last groups of blocks stay drawn wherever they are: all of an ordinary reply, and of most long ones. */
export const NEAR_GROUPS = 12;

/** A paragraph of more parts than this is shown as plain text. */
export const MAX_INLINE_TOKENS = 700;

/** Elements of one list or table that are shown at once, and with each step after that. */
export const SHOWN_WEIGHT_STEP = 500;

/** Past this the next step of a list or table waits for a click. */
export const MAX_SHOWN_WEIGHT = 3_000;

export const MAX_HIGHLIGHTED_CHARACTERS = 60_000;
export const HIGHLIGHT_TIMEOUT_MS = 3_000;
export const MAX_FORMULA_CHARACTERS = 1_200;
export const MAX_FORMULA_DEPTH = 24;
export const MAX_DIAGRAM_CHARACTERS = 6_000;
export const MAX_DIAGRAM_EDGES = 120;

/** A diagram longer than this is drawn when someone asks: mermaid may hold the page up for half a second. */
export const MAX_UNASKED_DIAGRAM_CHARACTERS = 1_500;
export const MAX_DATA_IMAGE_CHARACTERS = 1_000_000;
