import { expect, it } from "vitest";
import { TimeSlice } from "./timeSlice";

function stage(budgetMs: number) {
  let now = 0;
  const later: (() => void)[] = [];
  const done: string[] = [];
  const slice = new TimeSlice(
    budgetMs,
    () => now,
    (run) => later.push(run),
  );
  return {
    slice,
    done,
    later,
    task: (name: string, ms: number) => () => {
      now += ms;
      done.push(name);
    },
    /** The next frame begins. */
    frame: () => {
      now += 20;
      later.shift()?.();
    },
  };
}

it("[U5] tasks run at once while the frame has time, later when not, always in order", () => {
  const { slice, done, task, frame } = stage(6);
  slice.run(task("a", 4));
  slice.run(task("b", 4));
  slice.run(task("c", 7));
  const cancel = slice.run(task("d", 1));
  slice.run(task("e", 1));
  expect(done).toEqual(["a", "b"]);
  cancel();
  frame();
  expect(done).toEqual(["a", "b", "c"]);
  frame();
  expect(done).toEqual(["a", "b", "c", "e"]);
});

it("[U5] a task that fails holds no other up", () => {
  const { slice, done, later, task, frame } = stage(6);
  slice.run(task("a", 10));
  slice.run(() => {
    throw new Error("broken");
  });
  slice.run(task("b", 1));
  expect(frame).toThrow("broken");
  expect(later).toHaveLength(1);
  frame();
  expect(done).toEqual(["a", "b"]);
});
