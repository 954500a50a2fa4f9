/** What the model picker offers for what is typed; pure. */
import { shortCount } from "../../ui/numbers";
import type { ModelInfo, NamedModel, ProviderRecord } from "../../wire/generated";

export interface ModelChoice {
  readonly provider: ProviderRecord;
  readonly model: string;
  readonly name: string;
  /** What is known of it; absent for what was typed. */
  readonly info?: ModelInfo;
  /** Not in the provider's list: it is what was typed. */
  readonly typed: boolean;
}

export interface ChoiceGroup {
  readonly provider: ProviderRecord;
  readonly choices: readonly ModelChoice[];
  /** Models that fit and are not offered, so that a list stays quick. */
  readonly left: number;
}

export const MOST_PER_GROUP = 60;

/** Groups by provider, in the providers' order. Every word typed must be in the model's id, its name or the provider. */
export function modelChoices(
  providers: readonly ProviderRecord[],
  query: string,
  hidden: readonly NamedModel[] = [],
): readonly ChoiceGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const typed = query.trim();
  return providers.flatMap((provider) => {
    const isHidden = (model: string) =>
      hidden.some((each) => each.provider === provider.provider && each.model === model);
    const offered = modelsOf(provider).filter((choice) => !isHidden(choice.model));
    const fitting = offered.filter((choice) => {
      const text = `${choice.model} ${choice.name} ${provider.name}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const choices: ModelChoice[] = fitting.slice(0, MOST_PER_GROUP);
    const isNew = typed !== "" && !/\s/.test(typed) && !offered.some((choice) => choice.model === typed);
    if (isNew && provider.origin !== "local") choices.push({ provider, model: typed, name: "", typed: true });
    const left = Math.max(0, fitting.length - MOST_PER_GROUP);
    return choices.length > 0 ? [{ provider, choices, left }] : [];
  });
}

/** All that a provider offers, its own default first where it does not list it. */
export function modelsOf(provider: ProviderRecord): readonly ModelChoice[] {
  const listed: ModelChoice[] = (provider.models ?? []).map((model) => ({
    provider,
    model: model.id,
    name: model.name ?? "",
    info: model,
    typed: false,
  }));
  if (!provider.model || listed.some((choice) => choice.model === provider.model)) return listed;
  return [{ provider, model: provider.model, name: "", typed: false }, ...listed];
}

/** Its window and its prices, short; empty: nothing is known. */
export function modelFacts(info: ModelInfo | undefined): { readonly short: string; readonly long: string } {
  if (!info) return { short: "", long: "" };
  const { contextTokens, inputUsd, outputUsd } = info;
  const short: string[] = [];
  const long: string[] = [];
  if (contextTokens) {
    short.push(shortCount(contextTokens));
    long.push(`a context of ${contextTokens.toLocaleString("en")} tokens`);
  }
  if (inputUsd != null && outputUsd != null) {
    const free = Number(inputUsd) === 0 && Number(outputUsd) === 0;
    short.push(free ? "free" : `$${price(inputUsd)} / $${price(outputUsd)}`);
    long.push(free ? "free" : `$${price(inputUsd)} for a million tokens in, $${price(outputUsd)} for a million out`);
  }
  return { short: short.join(" · "), long: long.join(", ") };
}

/** `3`, `2.50`, `0.075`. */
function price(usd: string): string {
  const value = Number(usd);
  if (Number.isInteger(value)) return String(value);
  return value >= 0.1 ? value.toFixed(2) : String(Number(value.toPrecision(2)));
}
