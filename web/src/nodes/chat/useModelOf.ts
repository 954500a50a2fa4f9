import { useNode, useProviders, useSettings } from "../../mirror/hooks";
import type { ModelInfo, NodeId, ProviderRecord } from "../../wire/generated";
import { chatModel } from "./chatModel";

/** Whom a chat would ask, with what is known of the model. */
export function useModelOf(node: NodeId): {
  readonly provider: ProviderRecord | undefined;
  readonly info: ModelInfo | undefined;
} {
  const data = useNode(node)?.data;
  const settings = useSettings();
  const providers = useProviders();
  if (data?.kind !== "chat") return { provider: undefined, info: undefined };
  const { provider, model } = chatModel(data, settings, providers);
  return { provider, info: provider?.models?.find((each) => each.id === model) };
}
