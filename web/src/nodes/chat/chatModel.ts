/** Which provider and model a chat would ask, as the server resolves it, for showing it; pure. */
import type { ChatData, ProviderRecord, SettingsRecord } from "../../wire/generated";

export interface ChatModel {
  readonly provider: ProviderRecord | undefined;
  /** Empty: none is chosen anywhere. */
  readonly model: string;
  /** Nothing is set on the chat itself. */
  readonly isDefault: boolean;
}

export function chatModel(
  data: ChatData,
  settings: SettingsRecord | undefined,
  providers: readonly ProviderRecord[],
): ChatModel {
  const wanted = data.provider ?? settings?.defaultProvider ?? null;
  const provider = wanted === null ? usableProvider(providers) : providers.find((each) => each.provider === wanted);
  const setting = data.provider ? null : settings?.defaultModel;
  const model = data.model || setting || provider?.model || provider?.models?.[0]?.id || "";
  return { provider, model, isDefault: !data.provider && !data.model };
}

/** The provider that a chat without one would use: one that works, a configured one before the embedded one. */
export function usableProvider(providers: readonly ProviderRecord[]): ProviderRecord | undefined {
  const usable = providers.filter(isUsable);
  return usable.find((provider) => provider.origin !== "local") ?? usable[0];
}

export function isUsable(provider: ProviderRecord): boolean {
  return provider.status !== "missing" && provider.status !== "failed";
}

/** A model id without the vendor's path before it: `gpt-4o` of `openai/gpt-4o`. */
export function shortModel(model: string): string {
  return model.split("/").at(-1) || model;
}
