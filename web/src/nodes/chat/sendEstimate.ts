/** What the next request would probably take in and cost, for showing before it is sent; pure. */
import { amount, fullCount } from "../../ui/numbers";
import type { Attachment, ModelInfo, TotalsRecord } from "../../wire/generated";
import { fileKind } from "./fileKinds";

/** The same rough measure as the server's. */
const BYTES_PER_TOKEN = 4;
const IMAGE_TOKENS = 1_000;

export interface SendEstimate {
  readonly tokens: number;
  /** Something in it has no size that anybody could tell: there will be more. */
  readonly more: boolean;
  /** Of the input alone; null where the model has no price. */
  readonly usd: number | null;
}

export function sendEstimate(
  draft: { readonly text: string; readonly files: readonly Attachment[]; readonly system: string },
  totals: TotalsRecord | undefined,
  model: ModelInfo | undefined,
): SendEstimate {
  // What the last call took in and gave is what the next one begins with; the system prompt was in it.
  const before = totals?.contextTokens || tokensOf(draft.system);
  let tokens = before + tokensOf(draft.text);
  let more = false;
  for (const file of draft.files) {
    const kind = fileKind(file.mediaType);
    if (kind === "text") tokens += Math.ceil(file.sizeBytes / BYTES_PER_TOKEN);
    else if (kind === "image") tokens += IMAGE_TOKENS;
    else more = true;
  }
  const price = model?.inputUsd;
  return { tokens, more, usd: price == null ? null : (tokens * Number(price)) / 1e6 };
}

export function estimateWords({ tokens, more, usd }: SendEstimate): string {
  const size = `${more ? "More than" : "About"} ${fullCount(tokens)} ${tokens === 1 ? "token" : "tokens"} in`;
  return usd === null ? `${size}, price not known` : `${size}, about ${amount(usd)} without the answer`;
}

export function tokensOf(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / BYTES_PER_TOKEN);
}
