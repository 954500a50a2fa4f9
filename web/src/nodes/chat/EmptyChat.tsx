import { useNode, useProviders, useServer, useSettings } from "../../mirror/hooks";
import { useOpenSettings } from "../../panels/openSettings";
import { Button } from "../../ui/Button";
import type { NodeId } from "../../wire/generated";
import { chatModel, isUsable } from "./chatModel";
import styles from "./EmptyChat.module.css";
import { bareName } from "./slashMatches";

/** What an empty chat says: whom it asks, and what stands in the way if something does. */
export function EmptyChat({ node }: { readonly node: NodeId }) {
  const record = useNode(node);
  const settings = useSettings();
  const providers = useProviders();
  const { slashCommands } = useServer();
  const openSettings = useOpenSettings();
  if (record?.data.kind !== "chat") return null;
  const { provider, model } = chatModel(record.data, settings, providers);
  return (
    <div className={styles.empty}>
      {provider && isUsable(provider) ? (
        <p>
          Asks <strong>{model || "the default model"}</strong> by {provider.name}
          {provider.origin === "local" ? ", a small model on this machine: free, quick and often wrong." : "."}
          {provider.message ? ` ${provider.message}` : ""}
        </p>
      ) : (
        <p className={styles.problem}>{provider?.message || "No provider is set up yet."}</p>
      )}
      {(!provider || !isUsable(provider) || provider.origin === "local") && (
        <Button size="small" className={styles.add} onClick={() => openSettings("providers-add")}>
          {provider ? "Add a better one" : "Add a provider"}
        </Button>
      )}
      {slashCommands.length > 0 && (
        <p>
          {slashCommands.map((command) => (
            <code key={command.name}>/{bareName(command)}</code>
          ))}
        </p>
      )}
    </div>
  );
}
