import { SlidersHorizontal } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useNode } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { SelectField } from "../../ui/Field";
import { Floating } from "../../ui/Floating";
import type { ChatParameters, NodeId } from "../../wire/generated";
import { NumberField } from "./NumberField";
import styles from "./ParametersButton.module.css";
import { parameterWords } from "./parameterWords";
import { StopField } from "./StopField";

const EFFORTS = ["none", "minimal", "low", "medium", "high"] as const;
const NOTHING_SET: ChatParameters = {};
const NONE = {
  temperature: undefined,
  topP: undefined,
  effort: undefined,
  maxOutputTokens: undefined,
  stopSequences: undefined,
  seed: undefined,
} satisfies Record<keyof ChatParameters, undefined>;

/** How a chat's answers are to be made, tucked away: what is not set is the provider's choice. */
export function ParametersButton({ node }: { readonly node: NodeId }) {
  const data = useNode(node)?.data;
  const parameters = (data?.kind === "chat" && data.parameters) || NOTHING_SET;
  const words = parameterWords(parameters);
  return (
    <Floating
      label="Parameters"
      align="end"
      className={styles.panel}
      trigger={
        <button
          type="button"
          className={styles.trigger}
          aria-label={words ? `Parameters: ${words}` : "Parameters"}
          title={words ? `Parameters: ${words}` : "Parameters: temperature, effort, length"}
          data-set={words !== ""}
          data-testid={TEST_IDS.parameters}
        >
          <SlidersHorizontal size={15} />
        </button>
      }
    >
      <ParametersForm node={node} parameters={parameters} />
    </Floating>
  );
}

function ParametersForm({ node, parameters }: { readonly node: NodeId; readonly parameters: ChatParameters }) {
  const { ask } = useTalkfield();
  // A change may follow before the one before it has come back from the server: it must not undo that.
  const latest = useRef(parameters);
  const [rarerAreSet] = useState(
    parameters.topP != null || parameters.stopSequences != null || parameters.seed != null,
  );
  useEffect(() => {
    latest.current = parameters;
  }, [parameters]);
  const set = (changed: Partial<{ [Name in keyof ChatParameters]: ChatParameters[Name] | undefined }>) => {
    const merged = Object.entries({ ...latest.current, ...changed });
    latest.current = Object.fromEntries(merged.filter(([, value]) => value != null));
    void ask({ do: "configureChat", node, parameters: latest.current });
  };
  return (
    <div className={styles.form}>
      <NumberField
        label="Temperature"
        hint="0 is steady, 2 is wild."
        value={parameters.temperature}
        min={0}
        max={2}
        step={0.1}
        onSet={(temperature) => set({ temperature })}
      />
      <SelectField
        label="Effort"
        hint="How much a thinking model thinks first."
        value={parameters.effort ?? ""}
        onChange={(event) => set({ effort: EFFORTS.find((effort) => effort === event.target.value) })}
      >
        <option value="">Provider’s choice</option>
        {EFFORTS.map((effort) => (
          <option key={effort} value={effort}>
            {effort}
          </option>
        ))}
      </SelectField>
      <NumberField
        label="Most tokens of an answer"
        value={parameters.maxOutputTokens}
        min={1}
        max={10_000_000}
        step={1}
        onSet={(maxOutputTokens) => set({ maxOutputTokens })}
      />
      <details className={styles.more} open={rarerAreSet}>
        <summary>More</summary>
        <div className={styles.pair}>
          <NumberField
            label="Top p"
            value={parameters.topP}
            min={0.01}
            max={1}
            step={0.01}
            onSet={(topP) => set({ topP })}
          />
          <NumberField
            label="Seed"
            value={parameters.seed}
            min={0}
            max={Number.MAX_SAFE_INTEGER}
            step={1}
            onSet={(seed) => set({ seed })}
          />
        </div>
        <StopField value={parameters.stopSequences ?? []} onSet={(stopSequences) => set({ stopSequences })} />
      </details>
      <div className={styles.foot}>
        <p>For the next messages of this chat.</p>
        <Button size="small" look="quiet" disabled={parameterWords(parameters) === ""} onClick={() => set(NONE)}>
          Reset
        </Button>
      </div>
    </div>
  );
}
