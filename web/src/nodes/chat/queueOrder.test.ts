import { describe, expect, it } from "vitest";
import { movedTo } from "./queueOrder";

const ids = ["a", "b", "c"];

describe("movedTo", () => {
  it.each([
    ["a", 2, ["b", "c", "a"]],
    ["c", 0, ["c", "a", "b"]],
    ["b", 2, ["a", "c", "b"]],
  ])("[W12] puts %s at place %i", (id, place, after) => {
    expect(movedTo(ids, id, place)).toEqual(after);
  });

  it.each([
    ["b", 1],
    ["b", -1],
    ["b", 3],
    ["z", 0],
  ])("gives back the list itself where nothing changes: %s to %i", (id, place) => {
    expect(movedTo(ids, id, place)).toBe(ids);
  });
});
