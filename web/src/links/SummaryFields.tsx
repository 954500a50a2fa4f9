import { Sparkles } from "lucide-react";
import { useState } from "react";
import { useProviders, useRun, useSettings } from "../mirror/hooks";
import { modelChoices } from "../nodes/chat/modelChoices";
import { TEST_IDS } from "../testIds";
import { Button } from "../ui/Button";
import { SelectField } from "../ui/Field";
import { useCommand } from "../useCommand";
import type { EdgeId, NodeId, ProviderId } from "../wire/generated";
import styles from "./LinkInspector.module.css";
import { summaryWords } from "./linkWords";
import { useLinkMemory, useLinkStatus } from "./useLink";

/** A summary is made by a model of one's choice, when one asks for it and never by itself (L1). */
export function SummaryFields({ edge }: { readonly edge: EdgeId }) {
  const summary = useLinkMemory(edge)?.summary ?? null;
  const state = useLinkStatus(edge)?.summary ?? "missing";
  const [chosen, setChosen] = useState(summary?.model ? `${summary.provider ?? ""} ${summary.model}` : "");
  const { busy, problem, run } = useCommand();
  const live = useRun((summary?.node ?? "") as NodeId);
  const writing = live !== undefined && live.turn === summary?.turn;
  const start = chosen.indexOf(" ");
  const asked = chosen
    ? { provider: chosen.slice(0, start) as ProviderId, model: chosen.slice(start + 1) }
    : { provider: null, model: null };
  return (
    <div className={styles.summary}>
      <SelectField label="Summed up by" value={chosen} onChange={(event) => setChosen(event.target.value)}>
        <option value="">The default model</option>
        <Models />
      </SelectField>
      {summary?.text && (
        <details className={styles.diff}>
          <summary>The summary</summary>
          <p className={styles.text}>{summary.text}</p>
        </details>
      )}
      <div className={styles.made}>
        <p role="status">{problem || summaryWords(state, writing, summary?.cost ?? "")}</p>
        <Button
          size="small"
          disabled={busy || writing}
          data-testid={TEST_IDS.linkSummarize}
          onClick={() => void run({ do: "summarizeLink", edge, ...asked })}
        >
          <Sparkles size={13} />
          {state === "missing" ? "Summarise" : "Summarise anew"}
        </Button>
      </div>
    </div>
  );
}

function Models() {
  const groups = modelChoices(useProviders(), "", useSettings()?.hiddenModels);
  return groups.map((group) => (
    <optgroup key={group.provider.id} label={group.provider.name}>
      {group.choices.map(({ provider, model }) => (
        <option key={model} value={`${provider.provider} ${model}`}>
          {model}
        </option>
      ))}
    </optgroup>
  ));
}
