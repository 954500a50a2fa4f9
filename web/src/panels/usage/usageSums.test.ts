import { describe, expect, it } from "vitest";
import type { ProjectId, UsageRow } from "../../wire/generated";
import { costWords, daysFrom, sumsBy } from "./usageSums";

const row = (day: string, model: string, usd: string, more: Partial<UsageRow> = {}): UsageRow => ({
  day,
  project: "p" as ProjectId,
  provider: "openai",
  model,
  providerCalls: 1,
  inputTokens: 100,
  outputTokens: 10,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  usd,
  unpriced: 0,
  estimated: 0,
  ...more,
});

describe("sums of usage", () => {
  const rows = [
    row("2026-08-02", "a", "0.1"),
    row("2026-08-02", "b", "0.2"),
    row("2026-08-04", "a", "0.2"),
    row("2026-08-04", "c", "0", { unpriced: 1 }),
  ];

  it("[U12] by model, the dearest first, without a rounding error", () => {
    expect(sumsBy(rows, (each) => each.model)).toEqual([
      { name: "a", usd: 0.3, tokens: 220, calls: 2, unpriced: 0 },
      { name: "b", usd: 0.2, tokens: 110, calls: 1, unpriced: 0 },
      { name: "c", usd: 0, tokens: 110, calls: 1, unpriced: 1 },
    ]);
  });

  it("[U12] by day, days without use included", () => {
    const days = daysFrom("2026-08-01", "2026-08-04", rows);
    expect(days.map((day) => [day.name, day.usd])).toEqual([
      ["2026-08-01", 0],
      ["2026-08-02", 0.3],
      ["2026-08-03", 0],
      ["2026-08-04", 0.2],
    ]);
  });

  it("[P5] say what is not known", () => {
    const words = (usd: number, calls: number, unpriced: number) =>
      costWords({ name: "", tokens: 0, usd, calls, unpriced });
    expect([words(0.42, 3, 2), words(0, 2, 2), words(0.00123, 1, 0), words(12.345, 1, 0), words(0, 1, 0)]).toEqual([
      "at least $0.42 + 2 unpriced",
      "n/a",
      "$0.00123",
      "$12.35",
      "$0.00",
    ]);
  });
});
