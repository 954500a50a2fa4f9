import { expect, it } from "vitest";
import { mergePrices } from "./mergePrices";

const price = (prefix: string, input = "1", output = "2") => ({ prefix, input, output });

it("[W15] prices that two places edit at once are all kept, and what was taken away in one is gone", () => {
  const base = [price("a"), price("b"), price("c"), price("d")];
  const edited = [price("a", "5"), price("b"), price("d"), price("new here")];
  const saved = [price("a", "9"), price("b", "7"), price("c"), price("new there")];
  expect(mergePrices(base, edited, saved)).toEqual([
    price("a", "5"),
    price("b", "7"),
    price("new here"),
    price("new there"),
  ]);
});

it("[W15] without another's changes, what was edited is what is saved", () => {
  const base = [price("a"), price("b")];
  const edited = [price("b", "3"), price("c")];
  expect(mergePrices(base, edited, base)).toEqual(edited);
});
