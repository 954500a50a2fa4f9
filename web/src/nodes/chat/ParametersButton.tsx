import { SlidersHorizontal } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useNode } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { SelectField, TextField } from "../../ui/Field";
import { Floating } from "../../ui/Floating";
import type { ChatParameters, NodeId } from "../../wire/generated";
import styles from "./ParametersButton.module.css";

const EFFORTS = ["none", "minimal", "low", "medium", "high"] as const;
const NOTHING_SET: ChatParameters = {};

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
      <div className={styles.foot}>
        <p>For the next messages of this chat.</p>
        <Button
          size="small"
          look="quiet"
          disabled={parameterWords(parameters) === ""}
          onClick={() => set({ temperature: undefined, effort: undefined, maxOutputTokens: undefined })}
        >
          Reset
        </Button>
      </div>
    </div>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: number | null | undefined;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly onSet: (value: number | undefined) => void;
}

/** A number that counts when the field is left, or at Enter; empty: not set. What is out of bounds is told, not sent. */
function NumberField({ label, hint, value, min, max, step, onSet }: NumberFieldProps) {
  const known = value == null ? "" : String(value);
  const [typed, setTyped] = useState<string | null>(null);
  const [wrong, setWrong] = useState("");
  const end = () => {
    if (typed === null) return;
    const number = typed.trim() === "" ? undefined : Number(typed);
    const fits = number === undefined || (number >= min && number <= max && (step < 1 || Number.isInteger(number)));
    if (!fits) {
      setWrong(`A number from ${min} to ${max.toLocaleString("en")}`);
      return;
    }
    setTyped(null);
    setWrong("");
    if (typed !== known) onSet(number);
  };
  // The panel may be closed with the cursor still in the field.
  const atClose = useRef(end);
  useEffect(() => {
    atClose.current = end;
  });
  useEffect(() => () => atClose.current(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") end();
  };
  return (
    <TextField
      type="number"
      inputMode="decimal"
      label={label}
      hint={wrong ? <span role="alert">{wrong}</span> : hint}
      placeholder="Provider’s choice"
      min={min}
      max={max}
      step={step}
      aria-invalid={wrong !== ""}
      value={typed ?? known}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={end}
      onKeyDown={onKeyDown}
    />
  );
}

/** What is set, short; empty: nothing is. */
export function parameterWords({ temperature, effort, maxOutputTokens }: ChatParameters): string {
  return [
    temperature == null ? "" : `temperature ${temperature}`,
    effort ? `effort ${effort}` : "",
    maxOutputTokens == null ? "" : `at most ${maxOutputTokens.toLocaleString("en")} tokens`,
  ]
    .filter(Boolean)
    .join(", ");
}
