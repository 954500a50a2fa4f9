/**
 * Asks the worker to colour code, one block at a time. A grammar that takes too long is given up with its worker; the
 * block stays plain and the next one gets a new worker. Remembers the last answers, so that a message that is shown again
 * is coloured at once.
 */
import type { Runs } from "./codeKinds";
import type { HighlightAnswer, HighlightRequest } from "./highlight.worker";
import { HIGHLIGHT_TIMEOUT_MS } from "./limits";

/** What is used of `Worker`. */
export type HighlightWorker = Pick<Worker, "onmessage" | "onerror" | "postMessage" | "terminate">;

interface Waiting {
  readonly code: string;
  readonly language: string;
  readonly done: (runs: Runs | null) => void;
}

const REMEMBERED = 60;

export class Highlighter {
  readonly #createWorker: () => HighlightWorker | null;
  readonly #timeoutMs: number;
  readonly #queue: Waiting[] = [];
  readonly #known = new Map<string, Runs>();
  #worker: HighlightWorker | null = null;
  #isBusy = false;
  #lastId = 0;

  constructor(createWorker: () => HighlightWorker | null, timeoutMs = HIGHLIGHT_TIMEOUT_MS) {
    this.#createWorker = createWorker;
    this.#timeoutMs = timeoutMs;
  }

  /** The answer, where it was given before. */
  known(code: string, language: string): Runs | null {
    return this.#known.get(keyOf(code, language)) ?? null;
  }

  /** Calls `done` once, with null where the code stays plain. Returns what cancels it. */
  request(code: string, language: string, done: (runs: Runs | null) => void): () => void {
    const waiting: Waiting = { code, language, done };
    this.#queue.push(waiting);
    this.#next();
    return () => {
      const at = this.#queue.indexOf(waiting);
      if (at >= 0) this.#queue.splice(at, 1);
    };
  }

  #next(): void {
    if (this.#isBusy) return;
    const request = this.#queue.shift();
    if (!request) return;
    this.#worker ??= this.#createWorker();
    const worker = this.#worker;
    if (!worker) {
      request.done(null);
      this.#next();
      return;
    }
    this.#isBusy = true;
    const id = ++this.#lastId;
    const finish = (runs: Runs | null) => {
      clearTimeout(timer);
      worker.onmessage = null;
      worker.onerror = null;
      this.#isBusy = false;
      if (runs) this.#remember(keyOf(request.code, request.language), runs);
      request.done(runs);
      this.#next();
    };
    const giveUp = () => {
      worker.terminate();
      this.#worker = null;
      finish(null);
    };
    const timer = setTimeout(giveUp, this.#timeoutMs);
    worker.onerror = giveUp;
    worker.onmessage = ({ data }: MessageEvent<HighlightAnswer>) => {
      if (data.id === id) finish(data.runs);
    };
    worker.postMessage({ id, code: request.code, language: request.language } satisfies HighlightRequest);
  }

  #remember(key: string, runs: Runs): void {
    const oldest = this.#known.keys().next();
    if (this.#known.size >= REMEMBERED && !oldest.done) this.#known.delete(oldest.value);
    this.#known.set(key, runs);
  }
}

function keyOf(code: string, language: string): string {
  return `${language}\n${code}`;
}

/** The one that all messages on the page share. */
export const pageHighlighter = new Highlighter(() =>
  typeof Worker === "undefined"
    ? null
    : new Worker(new URL("./highlight.worker.ts", import.meta.url), { type: "module" }),
);
