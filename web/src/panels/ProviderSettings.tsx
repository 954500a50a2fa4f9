import { ArrowDown, ArrowUp, Plus } from "lucide-react";
import { useState } from "react";
import { useProviders } from "../mirror/hooks";
import { Button, IconButton } from "../ui/Button";
import { useCommand } from "../useCommand";
import type { ProviderId, ProviderRecord, ProviderStatus } from "../wire/generated";
import { ProviderForm } from "./ProviderForm";
import styles from "./Settings.module.css";

const STATUS_WORDS: Record<ProviderStatus, string> = {
  ready: "Ready",
  idle: "Starts when it is first asked",
  starting: "Starting",
  missing: "Not set up",
  failed: "Does not answer",
  unknown: "Not tested yet",
};

const ORIGIN_WORDS: Record<ProviderRecord["origin"], string> = {
  settings: "",
  environment: "from the environment",
  local: "on this machine",
  discovered: "found running",
  scripted: "for demonstrations",
};

/** Which services chats can ask. Keys are kept by the server and never come back to a browser (X2). */
export function ProviderSettings({ startsAdding }: { readonly startsAdding: boolean }) {
  const providers = useProviders();
  const order = providers.map((provider) => provider.provider);
  const [form, setForm] = useState<ProviderId | "new" | null>(startsAdding ? "new" : null);
  if (form !== null) {
    return (
      <ProviderForm
        provider={form === "new" ? null : (providers.find((each) => each.provider === form) ?? null)}
        onDone={() => setForm(null)}
      />
    );
  }
  return (
    <>
      <div className={styles.top}>
        <p className={styles.about}>A provider is a service and a key for it. Two keys for one service are two.</p>
        <Button look="primary" onClick={() => setForm("new")}>
          <Plus size={15} />
          Add provider
        </Button>
      </div>
      <ul className={styles.providers}>
        {providers.map((provider, place) => (
          <ProviderRow
            key={provider.id}
            provider={provider}
            place={place}
            order={order}
            onEdit={() => setForm(provider.provider)}
          />
        ))}
      </ul>
      {providers.length === 0 && <p className={styles.about}>None yet.</p>}
    </>
  );
}

interface ProviderRowProps {
  readonly provider: ProviderRecord;
  readonly place: number;
  /** All providers as they stand now. */
  readonly order: readonly ProviderId[];
  readonly onEdit: () => void;
}

function ProviderRow({ provider, place, order, onEdit }: ProviderRowProps) {
  const { busy, problem, run } = useCommand();
  const [sure, setSure] = useState(false);
  const ours = provider.origin === "settings";
  const move = (steps: number) => {
    const next = order.filter((id) => id !== provider.provider);
    next.splice(place + steps, 0, provider.provider);
    void run({ do: "changeSettings", providerOrder: next });
  };
  const facts = [
    ORIGIN_WORDS[provider.origin],
    provider.baseUrl,
    provider.keyHint ? `key ${provider.keyHint}` : "",
    provider.model ?? "",
    provider.models?.length ? (provider.models.length === 1 ? "1 model" : `${provider.models.length} models`) : "",
  ].filter(Boolean);
  return (
    <li className={styles.provider}>
      <div className={styles.who}>
        <p className={styles.name}>
          {provider.name}
          <span className={styles.status} data-status={provider.status}>
            {STATUS_WORDS[provider.status]}
          </span>
        </p>
        <p className={styles.facts}>{facts.join(" · ")}</p>
        {provider.message && <p className={styles.message}>{provider.message}</p>}
        {problem && (
          <p role="alert" className={styles.problem}>
            {problem}
          </p>
        )}
      </div>
      <div className={styles.buttons}>
        {order.length > 1 && (
          <>
            <IconButton
              small
              label={`Move ${provider.name} up`}
              title="Earlier in every list; the first that works answers where none is chosen"
              disabled={place === 0}
              onClick={() => move(-1)}
            >
              <ArrowUp size={14} />
            </IconButton>
            <IconButton
              small
              label={`Move ${provider.name} down`}
              title="Later in every list"
              disabled={place === order.length - 1}
              onClick={() => move(1)}
            >
              <ArrowDown size={14} />
            </IconButton>
          </>
        )}
        <Button
          size="small"
          disabled={busy}
          title="Ask it for its models"
          onClick={() => void run({ do: "refreshProvider", provider: provider.provider })}
        >
          {busy ? "Asking" : "Test"}
        </Button>
        {ours && (
          <Button size="small" onClick={onEdit}>
            Edit
          </Button>
        )}
        {ours && (
          <Button
            size="small"
            look={sure ? "danger" : "quiet"}
            onBlur={() => setSure(false)}
            onClick={() => (sure ? void run({ do: "removeProvider", provider: provider.provider }) : setSure(true))}
          >
            {sure ? "Remove it and its key" : "Remove"}
          </Button>
        )}
      </div>
    </li>
  );
}
