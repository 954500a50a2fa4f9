import { describe, expect, it } from "vitest";
import { message, run } from "../../testRecords";
import type { RunPhase } from "../../wire/generated";
import { chatStatus } from "./status";

describe("chatStatus", () => {
  it.each<[RunPhase, string, string]>([
    ["waiting", "live", "Waiting"],
    ["streaming", "live", "Answering"],
    ["awaiting", "needs-you", "Needs you"],
    ["tool", "live", "Running read_file"],
    ["retrying", "live", "Retrying in 4 s"],
    ["stopping", "live", "Stopping"],
  ])("[U1] says what a run does: %s", (phase, tone, words) => {
    const live = run({ phase, detail: phase === "tool" ? "read_file" : "", retryAt: 13_500 });
    expect(chatStatus(live, undefined, 10_000)).toEqual({ tone, words });
  });

  it("[U1] says how the last reply ended when nothing runs", () => {
    const ended = (fields: Parameters<typeof message>[0]) =>
      chatStatus(undefined, message({ role: "assistant", ...fields }), 0).words;
    expect([
      ended({}),
      ended({ stopped: true }),
      ended({ finish: "cut" }),
      ended({ error: { code: "refused", message: "" } }),
      ended({ error: { code: "interrupted", message: "" } }),
      chatStatus(undefined, undefined, 0).words,
    ]).toEqual(["Ready", "Stopped", "Cut off", "Failed", "Interrupted", "Ready"]);
  });
});
