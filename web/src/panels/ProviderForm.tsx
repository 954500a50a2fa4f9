import { ArrowLeft } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useServer } from "../mirror/hooks";
import { useTalkfield } from "../Talkfield";
import { Button } from "../ui/Button";
import { SelectField, TextField } from "../ui/Field";
import { wordsFor } from "../wire/commands";
import type { ProviderId, ProviderRecord, SaveProvider, VendorInfo } from "../wire/generated";
import styles from "./Settings.module.css";

type Api = SaveProvider["api"];

interface ProviderFormProps {
  /** Null: a new one. */
  readonly provider: ProviderRecord | null;
  readonly onDone: () => void;
}

const CUSTOM = "custom";

/** Adds or changes a provider. What is typed stays until the server has taken it. */
export function ProviderForm({ provider, onDone }: ProviderFormProps) {
  const { send } = useTalkfield();
  const { vendors } = useServer();
  const [vendorId, setVendorId] = useState(provider ? CUSTOM : (vendors[0]?.id ?? CUSTOM));
  const vendor = vendors.find((each) => each.id === vendorId);
  const [name, setName] = useState(provider?.name ?? vendor?.name ?? "");
  const [api, setApi] = useState(apiOf(provider?.api ?? vendor?.api));
  const [baseUrl, setBaseUrl] = useState(provider?.baseUrl ?? vendor?.baseUrl ?? "");
  const [key, setKey] = useState("");
  const [forgetKey, setForgetKey] = useState(false);
  const [model, setModel] = useState(provider?.model ?? "");
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState("");

  const chooseVendor = (id: string) => {
    setVendorId(id);
    const chosen = vendors.find((each) => each.id === id);
    setName(chosen?.name ?? "");
    setApi(apiOf(chosen?.api));
    setBaseUrl(chosen?.baseUrl ?? "");
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (saving) return;
    setSaving(true);
    setProblem("");
    try {
      const ack = await send({
        do: "saveProvider",
        name: name.trim(),
        api,
        baseUrl: baseUrl.trim(),
        model: model.trim(),
        ...(provider ? { provider: provider.provider } : {}),
        ...(forgetKey ? { key: "" } : key.trim() ? { key: key.trim() } : {}),
      });
      const saved = (provider?.provider ?? ack.made?.[0]) as ProviderId | undefined;
      if (saved) void send({ do: "refreshProvider", provider: saved }).catch(() => {});
      onDone();
    } catch (error) {
      setProblem(wordsFor(error));
      setSaving(false);
    }
  };

  return (
    <form onSubmit={(event) => void save(event)} className={styles.form} autoComplete="off">
      <button type="button" className={styles.back} onClick={onDone}>
        <ArrowLeft size={15} />
        {provider ? provider.name : "Add a provider"}
      </button>
      {!provider && vendors.length > 0 && (
        <SelectField label="Service" value={vendorId} onChange={(event) => chooseVendor(event.target.value)}>
          {vendors.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name}
            </option>
          ))}
          <option value={CUSTOM}>Another, by its address</option>
        </SelectField>
      )}
      <TextField
        label="Key"
        type="password"
        autoComplete="new-password"
        spellCheck={false}
        disabled={forgetKey}
        placeholder={provider?.keyHint ? `Keep the one stored (${provider.keyHint})` : keyPlaceholder(vendor)}
        hint={vendor?.docs ? <KeyLink vendor={vendor} /> : "Kept on this machine; it never comes back to a browser."}
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      {provider?.keyHint && (
        <label className={styles.check}>
          <input type="checkbox" checked={forgetKey} onChange={(event) => setForgetKey(event.target.checked)} />
          Remove the stored key
        </label>
      )}
      <TextField label="Name" required maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      <TextField
        label="Address"
        required
        inputMode="url"
        spellCheck={false}
        placeholder="https://…"
        hint="As the service's pages give it; with or without /v1."
        value={baseUrl}
        onChange={(event) => setBaseUrl(event.target.value)}
      />
      <SelectField label="Speaks like" value={api} onChange={(event) => setApi(apiOf(event.target.value))}>
        {Object.entries(API_WORDS).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Model"
        list="provider-models"
        spellCheck={false}
        placeholder="Chosen in each chat"
        hint="What chats ask when they name none."
        value={model}
        onChange={(event) => setModel(event.target.value)}
      />
      <datalist id="provider-models">
        {provider?.models?.map((each) => (
          <option key={each.id} value={each.id} />
        ))}
      </datalist>
      {problem && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
      <div className={styles.formButtons}>
        <Button look="quiet" onClick={onDone}>
          Cancel
        </Button>
        <Button look="primary" type="submit" disabled={saving || name.trim() === "" || baseUrl.trim() === ""}>
          {saving ? "Saving" : provider ? "Save" : "Add and test"}
        </Button>
      </div>
    </form>
  );
}

function KeyLink({ vendor }: { readonly vendor: VendorInfo }) {
  return (
    <>
      About {vendor.name}:{" "}
      <a href={vendor.docs} target="_blank" rel="noreferrer">
        {vendor.docs}
      </a>
    </>
  );
}

function keyPlaceholder(vendor: VendorInfo | undefined): string {
  return vendor?.keyVariable ? `Empty: ${vendor.keyVariable} from the environment` : "None, if it needs none";
}

/** Each wire has its words: `npm run check` names one that has none (D1). */
const API_WORDS: Readonly<Record<Api, string>> = {
  openai: "OpenAI (chat completions)",
  anthropic: "Anthropic (messages)",
};

function apiOf(api: string | undefined): Api {
  return api !== undefined && api in API_WORDS ? (api as Api) : "openai";
}
