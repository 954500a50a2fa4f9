import { Plus } from "lucide-react";
import { useState } from "react";
import { useNode, useRules } from "../../mirror/hooks";
import { visibleText } from "../../nodes/chat/visibleText";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { fullTime, shortTime } from "../../ui/time";
import { useCommand } from "../../useCommand";
import type { NodeId, RuleRecord } from "../../wire/generated";
import settings from "../Settings.module.css";
import { RuleForm } from "./RuleForm";
import styles from "./Tools.module.css";

const KIND_WORDS: Record<RuleRecord["kind"], string> = {
  path: "files",
  command: "command",
  exact: "exactly these arguments",
  any: "every call",
};

/** What was remembered about tool calls in this project: listed, changed, taken back (T7). */
export function RuleSettings() {
  const rules = useRules();
  const [form, setForm] = useState<string | null>(null);
  if (form !== null) {
    return <RuleForm rule={rules.find((rule) => rule.id === form) ?? null} onDone={() => setForm(null)} />;
  }
  return (
    <>
      <div className={settings.top}>
        <p className={settings.about}>
          Remembered decisions of this project, on this machine alone. “Never” wins over “allow”. Taking one back counts
          at once.
        </p>
        <Button look="primary" size="small" onClick={() => setForm("")}>
          <Plus size={15} />
          Add rule
        </Button>
      </div>
      {rules.length === 0 && (
        <p className={settings.about}>None yet. A card offers to remember your decision for calls like it.</p>
      )}
      <ul className={settings.providers}>
        {rules.map((rule) => (
          <RuleRow key={rule.id} rule={rule} onEdit={() => setForm(rule.id)} />
        ))}
      </ul>
    </>
  );
}

function RuleRow({ rule, onEdit }: { readonly rule: RuleRecord; readonly onEdit: () => void }) {
  const { busy, problem, run } = useCommand();
  return (
    <li className={settings.provider} data-testid={TEST_IDS.rule} data-action={rule.action}>
      <div className={settings.who}>
        <p className={settings.name}>
          <span className={styles.action} data-action={rule.action}>
            {rule.action === "allow" ? "Allow" : "Never"}
          </span>
          <code>{rule.tool}</code>
        </p>
        <p className={settings.facts}>
          {KIND_WORDS[rule.kind]}
          {rule.pattern && (
            <>
              {": "}
              <code dir="ltr" className={styles.what}>
                {visibleText(rule.pattern)}
              </code>
            </>
          )}
        </p>
        <p className={settings.facts} title={rule.createdAt ? fullTime(rule.createdAt) : ""}>
          {rule.nodeId ? <InChat node={rule.nodeId} /> : "In the whole project"}
          {rule.createdAt ? `, since ${shortTime(rule.createdAt)}` : ""}
        </p>
        {problem && (
          <p role="alert" className={settings.problem}>
            {problem}
          </p>
        )}
      </div>
      <div className={settings.buttons}>
        <Button size="small" onClick={onEdit}>
          Edit
        </Button>
        <Button
          size="small"
          disabled={busy}
          data-testid={TEST_IDS.ruleRemove}
          onClick={() => void run({ do: "removeRule", rule: rule.id })}
        >
          Take back
        </Button>
      </div>
    </li>
  );
}

function InChat({ node }: { readonly node: NodeId }) {
  const record = useNode(node);
  return <>In the chat “{record?.title || "New chat"}”</>;
}
