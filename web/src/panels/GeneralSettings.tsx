import { useState } from "react";
import { useProviders, useSettings } from "../mirror/hooks";
import { SelectField, TextField } from "../ui/Field";
import { useCommand } from "../useCommand";
import type { ChangeSettings } from "../wire/generated";
import styles from "./Settings.module.css";

const ENTER_HINTS = {
  queue: "It waits in line and is sent when the reply has ended.",
  send: "The reply is stopped, and what you wrote is sent at once.",
  prompt: "Nothing is sent: you are told why, and your text stays.",
} as const;

/** How the page looks and behaves; every change is at once in force everywhere (W15). */
export function GeneralSettings() {
  const { problem, run } = useCommand();
  const settings = useSettings();
  const providers = useProviders();
  const change = (change: Omit<ChangeSettings, "do">) => run({ do: "changeSettings", ...change });
  const enterBehavior = settings?.enterBehavior ?? "queue";
  const provider = providers.find((each) => each.provider === settings?.defaultProvider);
  return (
    <>
      <h3 className={styles.heading}>Appearance</h3>
      <SelectField
        label="Theme"
        value={settings?.theme ?? "system"}
        onChange={(event) => void change({ theme: event.target.value as "system" | "light" | "dark" })}
      >
        <option value="system">As the system</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </SelectField>

      <h3 className={styles.heading}>Writing</h3>
      <SelectField
        label="Enter, while a reply is being written"
        hint={ENTER_HINTS[enterBehavior]}
        value={enterBehavior}
        onChange={(event) => void change({ enterBehavior: event.target.value as "queue" | "send" | "prompt" })}
      >
        <option value="queue">Queues the message</option>
        <option value="send">Stops the reply and sends</option>
        <option value="prompt">Waits for me</option>
      </SelectField>

      <h3 className={styles.heading}>New chats</h3>
      <SelectField
        label="Provider"
        value={settings?.defaultProvider ?? ""}
        onChange={(event) => void change({ defaultProvider: event.target.value, defaultModel: "" })}
      >
        <option value="">The first that works</option>
        {providers.map((each) => (
          <option key={each.id} value={each.provider}>
            {each.name}
          </option>
        ))}
      </SelectField>
      <DefaultModel
        key={`${settings?.defaultProvider} ${settings?.defaultModel}`}
        model={settings?.defaultModel ?? ""}
        offered={provider?.models?.map((model) => model.id) ?? []}
        placeholder={provider?.model || "The provider's own default"}
        onChange={(defaultModel) => void change({ defaultModel })}
      />
      {problem && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </>
  );
}

interface DefaultModelProps {
  readonly model: string;
  readonly offered: readonly string[];
  readonly placeholder: string;
  readonly onChange: (model: string) => void;
}

function DefaultModel({ model, offered, placeholder, onChange }: DefaultModelProps) {
  const [text, setText] = useState(model);
  const done = () => text.trim() !== model && onChange(text.trim());
  return (
    <>
      <TextField
        label="Model"
        list="default-models"
        placeholder={placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={done}
        onKeyDown={(event) => event.key === "Enter" && done()}
      />
      <datalist id="default-models">
        {offered.map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
    </>
  );
}
