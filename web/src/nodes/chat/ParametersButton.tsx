import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { useNode } from "../../mirror/hooks";
import { useChanges } from "../../mirror/useChanges";
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
type SetParameters = Partial<{ [Name in keyof ChatParameters]: ChatParameters[Name] | undefined }>;

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
  const { ask } = useTalkfield();
  const data = useNode(node)?.data;
  const [parameters, change] = useChanges((data?.kind === "chat" && data.parameters) || NOTHING_SET, (next) =>
    ask({ do: "configureChat", node, parameters: next }),
  );
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
      <ParametersForm parameters={parameters} onSet={(set) => change((before) => withSet(before, set))} />
    </Floating>
  );
}

/** What is set to nothing is left out, and so the provider's choice. */
function withSet(parameters: ChatParameters, set: SetParameters): ChatParameters {
  return Object.fromEntries(Object.entries({ ...parameters, ...set }).filter(([, value]) => value != null));
}

interface ParametersFormProps {
  readonly parameters: ChatParameters;
  readonly onSet: (set: SetParameters) => void;
}

function ParametersForm({ parameters, onSet: set }: ParametersFormProps) {
  const [rarerAreSet] = useState(
    parameters.topP != null || parameters.stopSequences != null || parameters.seed != null,
  );
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
