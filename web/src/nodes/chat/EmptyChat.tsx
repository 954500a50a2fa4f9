import { useNode, useProviders, useServer, useSettings } from "../../mirror/hooks";
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
  if (record?.data.kind !== "chat") return null;
  const { provider, model } = chatModel(record.data, settings, providers);
  return (
    <div className={styles.empty}>
      {provider && isUsable(provider) ? (
        <p>
          Asks <strong>{model || "the default model"}</strong> by {provider.name}.
        </p>
      ) : (
        <p className={styles.problem}>{provider?.message || "No provider is set up yet. Add one in Settings."}</p>
      )}
      {provider && isUsable(provider) && provider.message && <p>{provider.message}</p>}
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
