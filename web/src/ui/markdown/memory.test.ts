import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { applyChange, type Records } from "../../mirror/apply";
import { append, message } from "../../testRecords";
import type { MessageRecord } from "../../wire/generated";
import { MarkdownStream } from "./markdownStream";

const TOKENS = 40_000;
const BLOCK = 12;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heldBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

it("[U5] a reply of thousands of tokens keeps its own text alive, and not one for each token it came in", () => {
  const records: Records = new Map([["m1", message()]]);
  const stream = new MarkdownStream();
  const before = heldBytes();
  for (let token = 0; token < TOKENS; token++) {
    applyChange(records, append("m1", token % BLOCK === 0 ? "word.\n\n" : "words "));
    if (token % BLOCK === 0) stream.update((records.get("m1") as MessageRecord).content ?? "", true);
  }
  const text = (records.get("m1") as MessageRecord).content ?? "";
  const kept = stream.update(text, true);
  const held = heldBytes() - before;
  expect(kept.groups.flat().length).toBeGreaterThan(TOKENS / BLOCK - 2);
  expect(held / text.length).toBeLessThan(20);
});
