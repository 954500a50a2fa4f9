/** What a rule would have decided, in a sentence; pure (T7). */
import type { RuleTrial, TriedCall } from "../../wire/generated";

export function trialWords(trial: RuleTrial): string {
  const { matched, calls } = trial;
  if (calls.length === 0) return "No call of this tool is on record yet.";
  const asked = calls.filter((call) => call.asked).length;
  if (calls.length === 1 && asked === 0) {
    return `It would ${matched === 0 ? "not " : ""}have decided the one call on record.`;
  }
  const decided = `It would have decided ${matched === 0 ? "none" : matched} of the last ${calls.length} calls.`;
  return asked === 0 ? decided : `${decided} ${asked} more would be asked about each time all the same.`;
}

/** What the rule would have meant for one call. */
export function verdictWords(call: TriedCall): string {
  if (call.asked) return "still asked";
  return call.matched ? "decided" : "not meant";
}
