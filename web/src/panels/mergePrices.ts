/** Prices that were edited in one place while another saved some: nobody's are lost (W15); pure. */
import type { PriceOverride } from "../wire/generated";

/**
 * What is to be saved. `base`: what was there when editing began; `edited`: what it became here; `saved`: what is there
 * now. A price that was changed in both places is the one of here.
 */
export function mergePrices(
  base: readonly PriceOverride[],
  edited: readonly PriceOverride[],
  saved: readonly PriceOverride[],
): readonly PriceOverride[] {
  const then = byPrefix(base);
  const here = byPrefix(edited);
  const now = byPrefix(saved);
  const kept = edited.flatMap((price) => {
    const untouched = isSame(price, then.get(price.prefix));
    return untouched ? (now.get(price.prefix) ?? []) : [price];
  });
  const added = saved.filter((price) => !here.has(price.prefix) && !isSame(price, then.get(price.prefix)));
  return [...kept, ...added];
}

function byPrefix(prices: readonly PriceOverride[]): ReadonlyMap<string, PriceOverride> {
  return new Map(prices.map((price) => [price.prefix, price]));
}

function isSame(one: PriceOverride, other: PriceOverride | undefined): boolean {
  const fields = ["input", "output", "cacheRead", "cacheWrite"] as const;
  return other !== undefined && fields.every((field) => (one[field] ?? "") === (other[field] ?? ""));
}
