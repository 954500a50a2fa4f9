/**
 * Runs small drawing tasks without holding the page up: at once while there is time in this frame, later otherwise. Tasks
 * run in order; one that is cancelled never runs.
 */
const FRAME_MS = 16;

export class TimeSlice {
  readonly #now: () => number;
  readonly #later: (run: () => void) => void;
  readonly #budgetMs: number;
  readonly #waiting = new Set<() => void>();
  #frameStart = Number.NEGATIVE_INFINITY;
  #used = 0;
  #scheduled = false;

  constructor(
    budgetMs = 6,
    now: () => number = () => performance.now(),
    later: (run: () => void) => void = (run) => void setTimeout(run, 4),
  ) {
    this.#budgetMs = budgetMs;
    this.#now = now;
    this.#later = later;
  }

  /** Runs `task` as soon as there is time. Returns what cancels it. */
  run(task: () => void): () => void {
    const entry = () => task();
    if (this.#waiting.size === 0 && this.#hasTime()) this.#timed(entry);
    else {
      this.#waiting.add(entry);
      this.#schedule();
    }
    return () => void this.#waiting.delete(entry);
  }

  #hasTime(): boolean {
    const now = this.#now();
    if (now - this.#frameStart > FRAME_MS) {
      this.#frameStart = now;
      this.#used = 0;
    }
    return this.#used < this.#budgetMs;
  }

  #timed(task: () => void): void {
    const start = this.#now();
    try {
      task();
    } finally {
      this.#used += this.#now() - start;
    }
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#later(() => {
      this.#scheduled = false;
      try {
        for (const task of this.#waiting) {
          if (!this.#hasTime()) break;
          this.#waiting.delete(task);
          this.#timed(task);
        }
      } finally {
        if (this.#waiting.size > 0) this.#schedule();
      }
    });
  }
}

/** The one that all messages on the page share. */
export const pageTime = new TimeSlice();
