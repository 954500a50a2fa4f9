import { describe, expect, it, vi } from "vitest";
import { DrawPace, LONGEST_WAIT_MS } from "./drawPace";

/** A page whose drawings take time: in scripts, and in the frame that follows. */
function stage({ scriptMs = 0, paintMs = 0, drawsFrames = true } = {}) {
  let now = 0;
  const timers: { at: number; run: () => void }[] = [];
  let frame: (() => void) | null = null;
  const drawn: number[] = [];
  const pace = new DrawPace({
    now: () => now,
    later: (run, ms) => void timers.push({ at: now + ms, run }),
    frame: (begun, painted) => {
      if (!drawsFrames) return;
      frame = () => {
        begun();
        now += paintMs;
        painted();
      };
    },
  });
  const draw = () => {
    drawn.push(now);
    now += scriptMs;
  };
  /** Lets a millisecond pass after the other; a frame begins every sixteen. */
  const pass = async (ms: number) => {
    for (const end = now + ms; now < end; now++) {
      for (const timer of timers.filter((each) => each.at <= now)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.run();
      }
      await Promise.resolve();
      if (now % 16 === 0) {
        const due = frame;
        frame = null;
        due?.();
      }
    }
  };
  return { pace, draw, drawn, pass };
}

describe("DrawPace", () => {
  it("[U4] draws at once on a page that has time", async () => {
    const { pace, draw, drawn, pass } = stage();
    for (let step = 0; step < 5; step++) {
      pace.ask(draw);
      await pass(33);
    }
    expect(drawn).toEqual([0, 33, 66, 99, 132]);
  });

  it("[U4] leaves a slow page half as long again to others as a drawing took, and draws what came meanwhile", async () => {
    const { pace, draw, drawn, pass } = stage({ scriptMs: 8, paintMs: 12 });
    for (let step = 0; step < 200; step++) {
      pace.ask(draw);
      await pass(1);
    }
    await pass(200);
    const between = drawn.slice(1).map((at, index) => at - (drawn[index] ?? 0));
    expect(Math.min(...between)).toBeGreaterThanOrEqual((8 + 12) * 2.5);
    expect(Math.max(...between)).toBeLessThanOrEqual(LONGEST_WAIT_MS);
    expect(drawn.at(-1)).toBeGreaterThan(200);
  });

  it("[U4] lets nothing wait for long where drawing never ends, or no frame is drawn", async () => {
    for (const page of [stage({ paintMs: 500 }), stage({ drawsFrames: false })]) {
      page.pace.ask(page.draw);
      await page.pass(1);
      page.pace.ask(page.draw);
      await page.pass(2 * LONGEST_WAIT_MS);
      expect(page.drawn.length).toBe(2);
    }
  });

  it("draws each that waits once", async () => {
    const { pace, pass } = stage({ drawsFrames: false });
    const [first, second] = [vi.fn(), vi.fn()];
    pace.ask(vi.fn());
    for (const draw of [first, second, first]) pace.ask(draw);
    expect(first).not.toHaveBeenCalled();
    await pass(LONGEST_WAIT_MS + 1);
    expect([first, second].map((draw) => draw.mock.calls.length)).toEqual([1, 1]);
  });
});
