import type { ChatParameters, Receipt } from "../../wire/generated";

type Chosen = Omit<ChatParameters, "effort"> & Pick<Receipt, "effort">;

/** What a person has set for answers, short; empty: nothing. */
export function parameterWords(chosen: Chosen): string {
  const { temperature, topP, effort, maxOutputTokens, stopSequences, seed } = chosen;
  const stops = (stopSequences ?? []).map((text) => JSON.stringify(text)).join(", ");
  return [
    temperature == null ? "" : `temperature ${temperature}`,
    topP == null ? "" : `top p ${topP}`,
    effort ? `effort ${effort}` : "",
    maxOutputTokens == null ? "" : `at most ${maxOutputTokens.toLocaleString("en")} tokens`,
    stops && `stop at ${stops}`,
    seed == null ? "" : `seed ${seed}`,
  ]
    .filter(Boolean)
    .join(", ");
}
