import { describe, expect, it } from "vitest";
import type { CallId, NodeId, TriedCall } from "../../wire/generated";
import { trialWords, verdictWords } from "./trialWords";

function tried(fields: Partial<TriedCall> = {}): TriedCall {
  return { call: "c" as CallId, node: "n" as NodeId, at: 0, status: "done", matched: false, summary: "", ...fields };
}

describe("trialWords", () => {
  it("[T7] says how many of the calls on record a rule would have decided", () => {
    const words = (matched: number, ...calls: TriedCall[]) => trialWords({ words: "", matched, calls });
    expect(words(0)).toBe("No call of this tool is on record yet.");
    expect(words(1, tried({ matched: true }))).toBe("It would have decided the one call on record.");
    expect(words(0, tried())).toBe("It would not have decided the one call on record.");
    expect(words(0, tried(), tried())).toBe("It would have decided none of the last 2 calls.");
    expect(words(1, tried({ matched: true }), tried({ matched: true, asked: true }))).toBe(
      "It would have decided 1 of the last 2 calls. 1 more would be asked about each time all the same.",
    );
  });

  it("[T7] says what a rule would have meant for one call", () => {
    const verdicts = [tried(), tried({ matched: true }), tried({ matched: true, asked: true })].map(verdictWords);
    expect(verdicts).toEqual(["not meant", "decided", "still asked"]);
  });
});
