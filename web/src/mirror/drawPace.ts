/**
 * When text that grows may be drawn again: at once on a page with time to spare, less often the longer a drawing takes.
 *
 * It measures what a drawing cost, with the layout and painting of its frame, and leaves the page to others for
 * `REST` times as long, so that many replies at once never take more than two fifths of it. Nothing waits longer than
 * `LONGEST_WAIT_MS`, also where no frames are drawn (a tab in the background). Whatever is asked for meanwhile is drawn
 * together.
 */

/** How long the page is left to others after a drawing, for each millisecond that it took. */
const REST = 1.5;
export const LONGEST_WAIT_MS = 120;

/** What a page has of time; tests bring their own. */
export interface PageClock {
  /** Milliseconds. */
  readonly now: () => number;
  readonly later: (run: () => void, ms: number) => void;
  /** Calls `begun` before the next frame is laid out and `painted` when that is done. */
  readonly frame: (begun: () => void, painted: () => void) => void;
}

export class DrawPace {
  private readonly waiting = new Set<() => void>();
  /** No drawing before. */
  private freeAt = Number.NEGATIVE_INFINITY;
  /** The timer that counts: one that was set before a shorter wait does nothing. */
  private timer = 0;
  private drawings = 0;

  constructor(private readonly clock: PageClock = PAGE) {}

  /** Runs `draw` as soon as it may. One that waits already is not run twice. */
  ask(draw: () => void): void {
    this.waiting.add(draw);
    if (this.clock.now() >= this.freeAt) this.drawAll();
    else if (this.waiting.size === 1) this.wait();
  }

  private drawAll(): void {
    const drawing = ++this.drawings;
    const start = this.clock.now();
    this.freeAt = start + LONGEST_WAIT_MS;
    const draws = [...this.waiting];
    this.waiting.clear();
    for (const draw of draws) draw();
    let tookMs = 0;
    // React renders in a microtask that it has asked for by now.
    queueMicrotask(() => {
      tookMs = this.clock.now() - start;
    });
    let begunAt = start;
    this.clock.frame(
      () => {
        begunAt = this.clock.now();
      },
      () => {
        if (drawing !== this.drawings) return;
        const end = this.clock.now();
        const rested = end + REST * (tookMs + end - begunAt);
        if (rested >= this.freeAt) return;
        this.freeAt = rested;
        if (this.waiting.size > 0) this.wait();
      },
    );
  }

  private wait(): void {
    const timer = ++this.timer;
    this.clock.later(
      () => {
        if (timer === this.timer && this.waiting.size > 0) this.drawAll();
      },
      Math.max(0, this.freeAt - this.clock.now()),
    );
  }
}

const PAGE: PageClock = {
  now: () => performance.now(),
  later: (run, ms) => void setTimeout(run, ms),
  frame: (begun, painted) => {
    requestAnimationFrame(() => {
      begun();
      // A message comes after the frame that this callback belongs to.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        painted();
      };
      port2.postMessage(null);
    });
  },
};
