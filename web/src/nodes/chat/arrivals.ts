/**
 * Lets chats that come into view be drawn one after the other: a row of them at once would hold the page up while the
 * canvas is dragged. The first of a frame comes at once, the others while a frame has time for them, one at least.
 */
import { flushSync } from "react-dom";

/** How long arrivals may take of one frame, in milliseconds; what is begun is finished. */
const BUDGET_MS = 6;

export interface ArrivalClock {
  /** Milliseconds. */
  readonly now: () => number;
  readonly nextFrame: (run: () => void) => void;
}

export class Arrivals {
  private readonly waiting = new Set<() => void>();
  private inFrame = false;

  constructor(private readonly clock: ArrivalClock = PAGE) {}

  /** Calls `show`, which draws something, as soon as there is time. Returns what takes that back. */
  arrive(show: () => void): () => void {
    const entry = () => show();
    if (this.inFrame) this.waiting.add(entry);
    else {
      this.begin();
      entry();
    }
    return () => void this.waiting.delete(entry);
  }

  private begin(): void {
    this.inFrame = true;
    this.clock.nextFrame(() => {
      this.inFrame = false;
      if (this.waiting.size === 0) return;
      this.begin();
      const start = this.clock.now();
      for (const show of this.waiting) {
        this.waiting.delete(show);
        flushSync(show);
        if (this.clock.now() - start >= BUDGET_MS) return;
      }
    });
  }
}

const PAGE: ArrivalClock = {
  now: () => performance.now(),
  nextFrame: (run) => void requestAnimationFrame(run),
};

/** The one that all chats of the page share. */
export const arrivals = new Arrivals();
