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
  const provider = providers.find((each) => (data.provider ? each.provider === data.provider : each.isDefault));
  // The default model belongs to the default provider: with another one it would mean nothing.
  const isTheirs = !data.provider && provider !== undefined && provider.provider === settings?.defaultProvider;
  const setting = isTheirs ? settings?.defaultModel : null;
  const model = data.model || setting || provider?.model || "";
  return { provider, model, isDefault: !data.provider && !data.model };
}

export function isUsable(provider: ProviderRecord): boolean {
  return provider.status !== "missing" && provider.status !== "failed";
}

/** A model id without the vendor's path before it: `gpt-4o` of `openai/gpt-4o`. */
export function shortModel(model: string): string {
  return model.split("/").at(-1) || model;
}
