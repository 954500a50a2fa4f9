/** Texts side by side: which paragraphs say the same, and which of their words differ; pure. */

/** One line of the comparison: a paragraph of each text, or nothing where a text has none like it. */
export type Row = readonly (string | null)[];

export interface Piece {
  readonly text: string;
  /** The other text has it not, or elsewhere. */
  readonly differs: boolean;
}

const LIKE = 0.2;
const MOST_PARAGRAPHS = 400;
const MOST_WORDS = 600;

/** Paragraphs of a text as they are written; what stands between fences is one. */
export function paragraphsOf(text: string): readonly string[] {
  const found: string[] = [];
  let lines: string[] = [];
  let fence = "";
  const end = () => {
    if (lines.some((line) => line.trim() !== "")) found.push(lines.join("\n"));
    lines = [];
  };
  for (const line of text.replace(/\r\n?/g, "\n").split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (fence) {
      lines.push(line);
      if (mark.startsWith(fence) && line.trim() === mark) {
        fence = "";
        end();
      }
    } else if (mark) {
      end();
      fence = mark;
      lines.push(line);
    } else if (line.trim() === "") end();
    else lines.push(line);
  }
  end();
  return found;
}

/**
 * Lines the paragraphs of several texts up with those of the text at `base`. Every paragraph is in exactly one row, in
 * its text's order; what is like nothing in the base stands in the gap where it was said.
 */
export function aligned(texts: readonly (readonly string[])[], base: number): readonly Row[] {
  const anchor = texts[base] ?? [];
  const columns = texts.map((text, index) => (index === base ? anchor.map((_, at) => at) : partners(text, anchor)));
  const next = texts.map(() => 0);
  const rows: Row[] = [];
  for (let at = 0; at <= anchor.length; at++) {
    // Those of each text before its partner of this paragraph: side by side, though nothing says that they are alike.
    const before = texts.map((text, index) => {
      const from = next[index] ?? 0;
      const partner = columns[index]?.indexOf(at, from) ?? -1;
      const until = at === anchor.length ? text.length : partner < 0 ? from : partner;
      next[index] = until;
      return text.slice(from, until);
    });
    const depth = Math.max(...before.map((each) => each.length), 0);
    for (let step = 0; step < depth; step++) rows.push(before.map((each) => each[step] ?? null));
    if (at === anchor.length) break;
    rows.push(
      texts.map((text, index) => {
        const from = next[index] ?? 0;
        if (columns[index]?.[from] !== at) return null;
        next[index] = from + 1;
        return text[from] ?? null;
      }),
    );
  }
  return rows;
}

/** For each paragraph the one of `anchor` that it goes with, or -1; in order, and as alike in all as can be. */
function partners(text: readonly string[], anchor: readonly string[]): readonly number[] {
  const found: number[] = text.map(() => -1);
  if (text.length > MOST_PARAGRAPHS || anchor.length > MOST_PARAGRAPHS) return found.map((_, at) => at);
  const [left, right] = [text.map(wordSet), anchor.map(wordSet)];
  const width = anchor.length + 1;
  const score = new Float64Array((text.length + 1) * width);
  const likeness = (row: number, column: number) => likenessOf(left[row], right[column]);
  for (let row = text.length - 1; row >= 0; row--) {
    for (let column = anchor.length - 1; column >= 0; column--) {
      const like = likeness(row, column);
      const together = like >= LIKE ? like + at(score, (row + 1) * width + column + 1) : 0;
      const apart = Math.max(at(score, (row + 1) * width + column), at(score, row * width + column + 1));
      score[row * width + column] = Math.max(together, apart);
    }
  }
  let [row, column] = [0, 0];
  while (row < text.length && column < anchor.length) {
    const here = at(score, row * width + column);
    if (here === at(score, (row + 1) * width + column)) row++;
    else if (here === at(score, row * width + column + 1)) column++;
    else found[row++] = column++;
  }
  return found;
}

function at(values: Float64Array, index: number): number {
  return values[index] ?? 0;
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text.trim()]);
}

function likenessOf(one: ReadonlySet<string> | undefined, other: ReadonlySet<string> | undefined): number {
  if (!one || !other || one.size + other.size === 0) return 0;
  let shared = 0;
  for (const word of one) if (other.has(word)) shared++;
  return (2 * shared) / (one.size + other.size);
}

/** `text` in pieces, those marked that `base` does not have in the same order. Together they are `text`. */
export function differences(text: string, base: string): readonly Piece[] {
  const [words, others] = [text.match(/\s+|[^\s]+/g) ?? [], base.match(/[^\s]+/g) ?? []];
  if (words.length > 2 * MOST_WORDS || others.length > MOST_WORDS) return [{ text, differs: text !== base }];
  const kept = common(words, others);
  const pieces: { text: string; differs: boolean }[] = [];
  words.forEach((word, index) => {
    const last = pieces.at(-1);
    const space = word.trim() === "";
    // White space belongs to what stands before it, so that a run of marked words is one mark.
    const differs = space ? (last?.differs ?? false) : !kept.has(index);
    if (last?.differs === differs) last.text += word;
    else pieces.push({ text: word, differs });
  });
  return pieces;
}

/** Indexes of the words that both have in order. */
function common(words: readonly string[], others: readonly string[]): ReadonlySet<number> {
  const said = words.flatMap((word, index) => (word.trim() === "" ? [] : [{ word, index }]));
  const width = others.length + 1;
  const length = new Uint16Array((said.length + 1) * width);
  const read = (row: number, column: number) => length[row * width + column] ?? 0;
  for (let row = said.length - 1; row >= 0; row--) {
    for (let column = others.length - 1; column >= 0; column--) {
      length[row * width + column] =
        said[row]?.word === others[column]
          ? read(row + 1, column + 1) + 1
          : Math.max(read(row + 1, column), read(row, column + 1));
    }
  }
  const kept = new Set<number>();
  let [row, column] = [0, 0];
  while (row < said.length && column < others.length) {
    if (said[row]?.word === others[column]) {
      kept.add(said[row]?.index ?? -1);
      row++;
      column++;
    } else if (read(row + 1, column) >= read(row, column + 1)) row++;
    else column++;
  }
  return kept;
}
