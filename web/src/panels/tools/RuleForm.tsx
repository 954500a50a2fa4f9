import { ArrowLeft } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useServer, useToolServers } from "../../mirror/hooks";
import { RuleTrialView } from "../../nodes/chat/RuleTrialView";
import { Button } from "../../ui/Button";
import { SelectField, TextAreaField, TextField } from "../../ui/Field";
import { useCommand } from "../../useCommand";
import type { RuleRecord } from "../../wire/generated";
import settings from "../Settings.module.css";
import { patternFromArguments, type RuleKind, writtenPattern } from "./rulePattern";
import styles from "./Tools.module.css";

interface RuleFormProps {
  /** Null: a new one, for the whole project. */
  readonly rule: RuleRecord | null;
  readonly onDone: () => void;
}

const KINDS: Record<RuleKind, string> = {
  path: "files, by their path",
  command: "a command, by its words",
  exact: "exactly these arguments",
  any: "every call",
};

/** Adds or changes a rule; what it says and would have decided stands under it while it is typed (T7). */
export function RuleForm({ rule, onDone }: RuleFormProps) {
  const { projectTools } = useServer();
  const servers = useToolServers();
  const command = useCommand();
  const tools = [...projectTools.map((tool) => tool.name), ...servers.flatMap((server) => server.tools ?? [])];
  const [action, setAction] = useState(rule?.action ?? "allow");
  const [tool, setTool] = useState(rule?.tool ?? "write_file");
  const [kind, setKind] = useState<RuleKind>(rule?.kind ?? "path");
  const [pattern, setPattern] = useState(rule ? writtenPattern(rule) : "");
  const chooseKind = (chosen: RuleKind) => {
    if (kind === "exact") setPattern(patternFromArguments(pattern, chosen));
    else if (chosen === "exact") setPattern("");
    setKind(chosen);
  };
  const described = {
    action,
    tool: tool.trim(),
    kind,
    pattern: kind === "any" ? "" : pattern.trim(),
    ...(rule?.nodeId ? { node: rule.nodeId } : {}),
  };
  const whole = described.tool !== "" && (kind === "any" || described.pattern !== "");
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (await command.run({ do: "saveRule", ...described, ...(rule ? { rule: rule.id } : {}) })) onDone();
  };
  return (
    <form onSubmit={(event) => void save(event)} className={settings.form} autoComplete="off">
      <button type="button" className={settings.back} onClick={onDone}>
        <ArrowLeft size={15} />
        {rule ? "Change a rule" : "Add a rule"}
      </button>
      <SelectField
        label="Decision"
        value={action}
        onChange={(event) => setAction(event.target.value === "deny" ? "deny" : "allow")}
      >
        <option value="allow">Allow without asking</option>
        <option value="deny">Never</option>
      </SelectField>
      <TextField
        label="Tool"
        required
        list="rule-tools"
        spellCheck={false}
        className={styles.mono}
        value={tool}
        onChange={(event) => setTool(event.target.value)}
      />
      <datalist id="rule-tools">
        {tools.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <SelectField label="About" value={kind} onChange={(event) => chooseKind(event.target.value as RuleKind)}>
        {Object.entries(KINDS).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </SelectField>
      {kind === "exact" && (
        <TextAreaField
          label="Arguments"
          required
          rows={Math.min(14, pattern.split("\n").length + 1)}
          spellCheck={false}
          className={styles.mono}
          placeholder={'{"query": "weather"}'}
          hint="A JSON object. The order of its names makes no difference."
          value={pattern}
          onChange={(event) => setPattern(event.target.value)}
        />
      )}
      {(kind === "path" || kind === "command") && (
        <TextField
          label={kind === "path" ? "Path" : "Words"}
          required
          spellCheck={false}
          className={styles.mono}
          placeholder={kind === "path" ? "docs/**" : "git status *"}
          hint={
            kind === "path"
              ? "* is within a folder, ** is any folder below."
              : "From the first word on; * at the end covers whatever words follow."
          }
          value={pattern}
          onChange={(event) => setPattern(event.target.value)}
        />
      )}
      {whole && <RuleTrialView rule={described} />}
      {command.problem && (
        <p role="alert" className={settings.problem}>
          {command.problem}
        </p>
      )}
      <div className={settings.formButtons}>
        <Button look="quiet" onClick={onDone}>
          Cancel
        </Button>
        <Button look="primary" type="submit" disabled={command.busy || !whole}>
          Save
        </Button>
      </div>
    </form>
  );
}
