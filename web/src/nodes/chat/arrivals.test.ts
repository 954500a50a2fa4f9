import { expect, it } from "vitest";
import { Arrivals } from "./arrivals";

function stage(costMs: number) {
  let now = 0;
  let frame: (() => void) | null = null;
  const arrivals = new Arrivals({
    now: () => now,
    nextFrame: (run) => {
      frame = run;
    },
  });
  const shown: string[] = [];
  return {
    shown,
    arrive: (name: string) =>
      arrivals.arrive(() => {
        now += costMs;
        shown.push(name);
      }),
    nextFrame: () => {
      const due = frame;
      frame = null;
      due?.();
      return shown.splice(0).join("");
    },
  };
}

it("[U7] the first chat that comes into view is drawn at once, a row of them one after the other", () => {
  const { arrive, nextFrame, shown } = stage(10);
  for (const name of ["a", "b", "c"]) arrive(name);
  expect(shown.splice(0)).toEqual(["a"]);
  expect([nextFrame(), nextFrame(), nextFrame(), nextFrame()]).toEqual(["b", "c", "", ""]);
  arrive("d");
  expect(shown).toEqual(["d"]);
});

it("[U7] as many are drawn in a frame as there is time for", () => {
  const { arrive, nextFrame } = stage(2.5);
  for (const name of ["a", "b", "c", "d", "e"]) arrive(name);
  expect([nextFrame(), nextFrame()]).toEqual(["abcd", "e"]);
});

it("[U7] a chat that has gone out of view again is not drawn", () => {
  const { arrive, nextFrame } = stage(10);
  arrive("a");
  const leave = arrive("b");
  arrive("c");
  leave();
  expect([nextFrame(), nextFrame()]).toEqual(["ac", ""]);
});
