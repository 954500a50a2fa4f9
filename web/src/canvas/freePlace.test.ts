import { describe, expect, it } from "vitest";
import { freePlace, GAP } from "./freePlace";

const size = { width: 460, height: 520 };
const node = (x: number, y: number) => ({ x, y, ...size });

describe("freePlace", () => {
  it("takes the place that is wanted when it is free", () => {
    expect(freePlace([node(2000, 0)], size, { x: 230, y: 260 })).toEqual({ x: 0, y: 0 });
  });

  it("goes beside what is there, in line with it", () => {
    expect(freePlace([node(0, 0)], size, { x: 240, y: 260 })).toEqual({ x: 460 + GAP, y: 0 });
  });

  it("never covers a node, however many there are", () => {
    const taken = [node(0, 0)];
    for (let count = 0; count < 30; count++) taken.push({ ...freePlace(taken, size, { x: 230, y: 260 }), ...size });
    for (const [index, left] of taken.entries()) {
      for (const right of taken.slice(index + 1)) {
        const apart =
          left.x + left.width <= right.x ||
          right.x + right.width <= left.x ||
          left.y + left.height <= right.y ||
          right.y + right.height <= left.y;
        expect(apart).toBe(true);
      }
    }
  });
});
