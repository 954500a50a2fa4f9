/** Whom a prompt for several models goes to; pure. */
import type { ProviderRecord, Recipient } from "../../wire/generated";

export const MOST_MODELS = 12;

/** A model of a provider, chosen. */
export interface Chosen {
  readonly provider: ProviderRecord["provider"];
  readonly model: string;
  readonly providerName: string;
}

export function isChosen(chosen: readonly Chosen[], provider: string, model: string): boolean {
  return chosen.some((each) => each.provider === provider && each.model === model);
}

/** With the model where it was not, without it where it was; past the most, as before. */
export function toggled(chosen: readonly Chosen[], one: Chosen): readonly Chosen[] {
  if (isChosen(chosen, one.provider, one.model)) {
    return chosen.filter((each) => each.provider !== one.provider || each.model !== one.model);
  }
  return chosen.length < MOST_MODELS ? [...chosen, one] : chosen;
}

export function recipientsOf(chosen: readonly Chosen[]): readonly Recipient[] {
  return chosen.map(({ provider, model }) => ({ provider, model }));
}
