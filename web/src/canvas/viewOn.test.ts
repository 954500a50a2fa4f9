import { describe, expect, it } from "vitest";
import { viewOn } from "./useSpotlight";

const window = { width: 1280, height: 720 };
const node = { x: 400, y: 100, width: 460, height: 520 };

describe("viewOn", () => {
  it("does not move when the node can be read where it is", () => {
    expect(viewOn(node, window, { x: 0, y: 0, zoom: 1 })).toEqual({ x: 0, y: 0, zoom: 1 });
  });

  it("moves no further than it takes", () => {
    expect(viewOn({ ...node, x: 1000 }, window, { x: 0, y: 0, zoom: 1 })).toEqual({ x: -196, y: 0, zoom: 1 });
    expect(viewOn({ ...node, x: -300 }, window, { x: 0, y: 0, zoom: 1 })).toEqual({ x: 316, y: 0, zoom: 1 });
  });

  it("shows the start of a node that does not fit", () => {
    const { y } = viewOn({ ...node, height: 2000 }, window, { x: 0, y: -900, zoom: 1 });
    expect(y).toBe(-34);
  });

  it("goes back as far as it takes to see a node's whole width", () => {
    const { zoom, x } = viewOn(node, { width: 420, height: 800 }, { x: 0, y: 0, zoom: 1 });
    expect([Math.round(node.x * zoom + x), Math.round((node.x + node.width) * zoom + x)]).toEqual([16, 404]);
  });

  it("[U7] comes near when all there is to see is a card", () => {
    const { zoom } = viewOn(node, window, { x: 0, y: 0, zoom: 0.2 });
    expect(zoom).toBeGreaterThan(0.45);
  });
});
