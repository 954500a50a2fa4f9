import { describe, expect, it } from "vitest";
import { alignment } from "./alignment";

const place = (x: number, y: number, width = 100, height = 100) => ({ x, y, width, height });

describe("alignment", () => {
  it("[U6] shifts to the nearest edge or middle and says which line that is", () => {
    expect(alignment(place(204, 500), [place(200, 0)], 6)).toEqual({
      dx: -4,
      dy: 0,
      guides: [
        { axis: "x", at: 200, from: 0, to: 600 },
        { axis: "x", at: 250, from: 0, to: 600 },
        { axis: "x", at: 300, from: 0, to: 600 },
      ],
    });
    const middles = alignment(place(226, 500, 50), [place(200, 0)], 6);
    expect([middles.dx, middles.guides.map((guide) => guide.at)]).toEqual([-1, [250]]);
  });

  it("[U6] lets a node be that is near no line", () => {
    expect(alignment(place(207, 533), [place(400, 0)], 6)).toEqual({ dx: 0, dy: 0, guides: [] });
    expect(alignment(place(1, 1), [], 6)).toEqual({ dx: 0, dy: 0, guides: [] });
  });

  it("[U6] of two lines takes the nearer", () => {
    expect(alignment(place(0, 103), [place(500, 100), place(900, 104)], 6).dy).toBe(1);
  });
});
