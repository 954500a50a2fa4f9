/** Where each line of a part begins in the whole text. */
export class LineStarts {
  readonly #source: string;
  readonly #base: number;
  readonly #starts: number[] = [0];

  constructor(source: string, base: number) {
    this.#source = source;
    this.#base = base;
    for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  /** Offset in the whole text; past the last line: the end, and one more when the last line is not a full one. */
  offset(line: number): number {
    const start = this.#starts[line];
    return this.#base + (start ?? this.#source.length + 1);
  }

  isBlank(line: number): boolean {
    const start = this.#starts[line];
    if (start === undefined) return false;
    const end = this.#starts[line + 1] ?? this.#source.length;
    return this.#source.slice(start, end).trim() === "";
  }
}
