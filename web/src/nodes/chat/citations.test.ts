import { expect, it } from "vitest";
import { message } from "../../testRecords";
import type { NodeId } from "../../wire/generated";
import { citationsIn } from "./citations";

const part = (number: number) => message({ id: `m${number}`, source: { node: `n${number}` as NodeId, number } });
const numbersIn = (text: string) => citationsIn(text, [part(1), part(2), part(3)]).map(({ number }) => number);

it("[L4] the parts of a merge that a reply cites are found, each once, in order", () => {
  expect(numbersIn("Left [2], as [1] says; [2, 3] agree.")).toEqual([1, 2, 3]);
  expect(numbersIn("[1]")).toEqual([1]);
});

it("[L4] what is no citation is none", () => {
  expect(numbersIn("[4] [0] [x] a[9] nothing")).toEqual([]);
  expect(numbersIn("`list[1]` and [2](https://example.org)\n```\nrow[3]\n```")).toEqual([]);
  expect(citationsIn("[1]", [message({ id: "m" })])).toEqual([]);
});
