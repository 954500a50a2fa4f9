import { Download } from "lucide-react";
import { useState } from "react";
import { useRules, useServer } from "../../mirror/hooks";
import { visibleJson, visibleText } from "../../nodes/chat/visibleText";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { SelectField, TextField } from "../../ui/Field";
import { fullTime, shortTime } from "../../ui/time";
import type { RecentCall } from "../../wire/generated";
import { auditAddress } from "../../wire/http";
import settings from "../Settings.module.css";
import { decisionWords, durationWords, OUTCOME_WORDS } from "./auditWords";
import styles from "./Tools.module.css";
import { useAudit } from "./useAudit";

/** What ran in this project and what was denied, by whose word (T8). */
export function AuditSettings() {
  const { project } = useServer();
  const [words, setWords] = useState("");
  const [outcome, setOutcome] = useState("");
  const { calls, problem, more } = useAudit(words, outcome);
  return (
    <>
      <div className={styles.filter}>
        <TextField
          label="With these words"
          type="search"
          placeholder="Tool, arguments, decision"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <SelectField label="That" value={outcome} onChange={(event) => setOutcome(event.target.value)}>
          <option value="">ended in any way</option>
          {Object.entries(OUTCOME_WORDS).map(([name, what]) => (
            <option key={name} value={name}>
              {what}
            </option>
          ))}
        </SelectField>
        {project && (
          <a
            className={styles.export}
            href={auditAddress(project)}
            download="audit.jsonl"
            data-testid={TEST_IDS.auditExport}
          >
            <Download size={14} />
            All of it, as JSON lines
          </a>
        )}
      </div>
      {problem && (
        <p role="alert" className={settings.problem}>
          {problem}
        </p>
      )}
      {calls?.length === 0 && (
        <p className={settings.about} role="status">
          {words || outcome ? "No call fits." : "No tool has run in this project yet."}
        </p>
      )}
      <ul className={styles.audit} aria-label="Tool calls, the newest first">
        {calls?.map((call) => (
          <AuditRow key={call.call} call={call} />
        ))}
      </ul>
      {more && (
        <Button size="small" onClick={more}>
          Show earlier calls
        </Button>
      )}
    </>
  );
}

function AuditRow({ call }: { readonly call: RecentCall }) {
  const { mirror } = useTalkfield();
  const rules = useRules();
  const chat = mirror.node(call.node);
  return (
    <li data-testid={TEST_IDS.auditCall} data-outcome={call.outcome}>
      <details>
        <summary>
          <code className={styles.tool}>{call.tool}</code>
          <code dir="ltr" className={styles.line}>
            {visibleText(call.arguments.replace(/\s+/g, " ").slice(0, 200))}
          </code>
          <span className={styles.outcome} data-outcome={call.outcome}>
            {OUTCOME_WORDS[call.outcome]}
          </span>
          <span className={styles.time} title={fullTime(call.at)}>
            {shortTime(call.at)}
          </span>
        </summary>
        <dl className={styles.details}>
          <dt>Chat</dt>
          <dd>{chat ? chat.title || "New chat" : "one that is gone"}</dd>
          <dt>By</dt>
          <dd>{decisionWords(call.decision, rules)}</dd>
          {call.source && (
            <>
              <dt>From</dt>
              <dd>{call.source}</dd>
            </>
          )}
          <dt>When</dt>
          <dd>{fullTime(call.at)}</dd>
          <dt>Took</dt>
          <dd>{durationWords(call)}</dd>
          <dt>Arguments</dt>
          <dd>
            <pre dir="ltr">{visibleJson(call.arguments)}</pre>
          </dd>
        </dl>
      </details>
    </li>
  );
}
