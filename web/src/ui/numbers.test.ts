import { describe, expect, it } from "vitest";
import { shortCount } from "./numbers";

describe("shortCount", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1_000, "1k"],
    [1_234, "1.2k"],
    [9_960, "10k"],
    [34_400, "34k"],
    [999_499, "999k"],
    [999_500, "1M"],
    [1_250_000, "1.3M"],
  ])("%i is %s", (count, words) => {
    expect(shortCount(count)).toBe(words);
  });
});
