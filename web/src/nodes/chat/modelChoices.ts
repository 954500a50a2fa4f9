/** What the model picker offers for what is typed; pure. */
import type { ProviderRecord } from "../../wire/generated";

export interface ModelChoice {
  readonly provider: ProviderRecord;
  readonly model: string;
  readonly name: string;
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
export function modelChoices(providers: readonly ProviderRecord[], query: string): readonly ChoiceGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const typed = query.trim();
  return providers.flatMap((provider) => {
    const offered = (provider.models ?? []).map((model) => ({
      provider,
      model: model.id,
      name: model.name ?? "",
      typed: false,
    }));
    if (provider.model && !offered.some((choice) => choice.model === provider.model)) {
      offered.unshift({ provider, model: provider.model, name: "", typed: false });
    }
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
