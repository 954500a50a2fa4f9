import { describe, expect, it } from "vitest";
import { amount, shortCount } from "./numbers";

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

describe("amount", () => {
  it.each([
    [0, "$0.00"],
    [0.00000012345, "$0.000000123"],
    [0.000005, "$0.000005"],
    [0.0055649, "$0.00556"],
    [0.05, "$0.05"],
    [0.0999, "$0.0999"],
    [0.09996, "$0.10"],
    [0.4213, "$0.42"],
    [0.999, "$1.00"],
    [12.344, "$12.34"],
    [1234.5, "$1,234.50"],
    [1e6, "$1,000,000.00"],
  ])("[P5] writes %d as the server does: %s", (usd, words) => {
    expect(amount(usd)).toBe(words);
  });

  it("[P5] rounds down what is said to be at least so much, and not by a double's noise", () => {
    expect([0.4299, 0.29, 0.01 + 0.02, 0.012399].map((usd) => amount(usd, true))).toEqual([
      "$0.42",
      "$0.29",
      "$0.03",
      "$0.0123",
    ]);
  });
});
