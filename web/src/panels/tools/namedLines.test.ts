import { describe, expect, it } from "vitest";
import { namedLines } from "./namedLines";

describe("namedLines", () => {
  it("[T10] reads a name and a value from each line", () => {
    expect(namedLines("A=1\n\n  B = x=y \n", "=")).toEqual({ A: "1", B: "x=y" });
    expect(namedLines("Authorization: Bearer a:b", ":")).toEqual({ Authorization: "Bearer a:b" });
  });

  it("[X5] says what is wrong instead of dropping a line", () => {
    expect(namedLines("A=1\nB", "=")).toBe("Each line is a name, = and a value.");
    expect(namedLines("=1", "=")).toBe("Each line is a name, = and a value.");
  });
});
