import { describe, expect, it } from "vitest";
import { Visits } from "./visits";

const view = (x: number) => ({ x: 10 * x, y: 0, zoom: 1 });

describe("visits", () => {
  it("[U6] go back and forward through places that were left", () => {
    const visits = new Visits();
    expect(visits.current()).toEqual({ back: false, forward: false });
    expect(visits.back(view(0))).toBeNull();
    visits.leave(view(1));
    visits.leave(view(2));
    expect(visits.back(view(3))).toEqual(view(2));
    expect(visits.back(view(2))).toEqual(view(1));
    expect(visits.current()).toEqual({ back: false, forward: true });
    expect(visits.forward(view(1))).toEqual(view(2));
    expect(visits.forward(view(2))).toEqual(view(3));
    expect(visits.current()).toEqual({ back: true, forward: false });
  });

  it("[U6] forget what was ahead at a new jump, and the oldest of many", () => {
    const visits = new Visits();
    visits.leave(view(1));
    visits.back(view(2));
    visits.leave(view(9));
    expect(visits.forward(view(0))).toBeNull();
    for (let x = 0; x < 200; x += 5) visits.leave(view(x));
    for (let x = 200; x < 1000; x += 5) visits.leave(view(x));
    let count = 0;
    while (visits.back(view(0))) count += 1;
    expect(count).toBe(50);
  });
});
