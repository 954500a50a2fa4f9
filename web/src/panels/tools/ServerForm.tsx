import { ArrowLeft } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { useTalkfield } from "../../Talkfield";
import { Button } from "../../ui/Button";
import { SelectField, TextField } from "../../ui/Field";
import { useCommand } from "../../useCommand";
import type { ToolServerRecord } from "../../wire/generated";
import settings from "../Settings.module.css";
import { namedLines } from "./namedLines";
import styles from "./Tools.module.css";

interface ServerFormProps {
  /** Null: a new one. */
  readonly server: ToolServerRecord | null;
  readonly onDone: () => void;
}

type Kind = "command" | "address";

/** Adds or changes a server of tools. Values that may be secret never come back; what is left empty stays as it is. */
export function ServerForm({ server, onDone }: ServerFormProps) {
  const { send } = useTalkfield();
  const command = useCommand();
  const [kind, setKind] = useState<Kind>(server?.what.startsWith("http") ? "address" : "command");
  const [name, setName] = useState(server?.name ?? "");
  const [what, setWhat] = useState(server?.what ?? "");
  const [values, setValues] = useState("");
  const [forget, setForget] = useState(false);
  const [problem, setProblem] = useState("");

  const save = async (event: FormEvent) => {
    event.preventDefault();
    const given = namedLines(values, kind === "command" ? "=" : ":");
    if (typeof given === "string") {
      setProblem(given);
      return;
    }
    setProblem("");
    const stays = !forget && values.trim() === "";
    const secret = stays ? {} : kind === "command" ? { env: given, headers: {} } : { headers: given, env: {} };
    const done = await command.run({
      do: "saveToolServer",
      name: name.trim(),
      ...(kind === "command" ? { commandLine: what.trim() } : { url: what.trim() }),
      ...secret,
      enabled: server?.status !== "off",
      ...(server ? { replaces: server.name } : {}),
    });
    if (!done) return;
    void send({ do: "restartToolServer", name: name.trim() }).catch(() => {});
    onDone();
  };

  const names = server?.names ?? [];
  return (
    <form onSubmit={(event) => void save(event)} className={settings.form} autoComplete="off">
      <button type="button" className={settings.back} onClick={onDone}>
        <ArrowLeft size={15} />
        {server ? server.name : "Add a server of tools"}
      </button>
      <TextField
        label="Name"
        required
        maxLength={32}
        spellCheck={false}
        hint="Its tools are called after it. Letters, digits, - and _."
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField label="It is" value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
        <option value="command">a program that Talkfield starts</option>
        <option value="address">a service at an address</option>
      </SelectField>
      {kind === "command" ? (
        <TextField
          label="Command"
          required
          spellCheck={false}
          className={styles.mono}
          hint="Program and arguments. No shell reads them: quote what holds spaces."
          value={what}
          onChange={(event) => setWhat(event.target.value)}
        />
      ) : (
        <TextField
          label="Address"
          required
          inputMode="url"
          spellCheck={false}
          placeholder="https://…/mcp"
          value={what}
          onChange={(event) => setWhat(event.target.value)}
        />
      )}
      <ValuesField
        kind={kind}
        names={names}
        values={values}
        disabled={forget}
        onChange={(text) => {
          setValues(text);
          setProblem("");
        }}
      />
      {names.length > 0 && (
        <label className={settings.check}>
          <input type="checkbox" checked={forget} onChange={(event) => setForget(event.target.checked)} />
          Forget the stored values
        </label>
      )}
      {(problem || command.problem) && (
        <p role="alert" className={settings.problem}>
          {problem || command.problem}
        </p>
      )}
      <div className={settings.formButtons}>
        <Button look="quiet" onClick={onDone}>
          Cancel
        </Button>
        <Button look="primary" type="submit" disabled={command.busy || !name.trim() || !what.trim()}>
          {command.busy ? "Saving" : server ? "Save and test" : "Add and test"}
        </Button>
      </div>
    </form>
  );
}

interface ValuesFieldProps {
  readonly kind: Kind;
  readonly names: readonly string[];
  readonly values: string;
  readonly disabled: boolean;
  readonly onChange: (text: string) => void;
}

function ValuesField({ kind, names, values, disabled, onChange }: ValuesFieldProps) {
  const id = useId();
  const example = kind === "command" ? "API_KEY=…" : "Authorization: Bearer …";
  return (
    <div className={styles.values}>
      <label htmlFor={id}>{kind === "command" ? "Environment" : "Headers"}</label>
      <textarea
        id={id}
        rows={3}
        spellCheck={false}
        disabled={disabled}
        aria-describedby={`${id}-hint`}
        placeholder={names.length > 0 ? `Keep those stored (${names.join(", ")})` : example}
        value={values}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={`${id}-hint`}>
        {kind === "command" ? "One NAME=value a line; it gets nothing else of yours." : "One Name: value a line."} Kept
        on this machine; they never come back to a browser.
      </p>
    </div>
  );
}
