import { type FormEvent, type KeyboardEvent, useState } from "react";
import { Button } from "../../ui/Button";
import { flawOf } from "../PriceSettings";
import styles from "./ModelSettings.module.css";

/** US dollars per million tokens; what the cache costs stays unsaid where it is the input's price. */
export interface Rates {
  readonly input: string;
  readonly output: string;
  readonly cacheRead?: string | null;
  readonly cacheWrite?: string | null;
}

interface PriceFormProps {
  readonly model: string;
  readonly start: Rates;
  readonly hasOwn: boolean;
  /** With a price; with null, to drop one's own; with undefined, to leave it as it is. */
  readonly onDone: (rates: Rates | null | undefined) => void;
}

/** One's own price of one model. It counts from now on: what was paid stays as it was (P7). */
export function PriceForm({ model, start, hasOwn, onDone }: PriceFormProps) {
  const [input, setInput] = useState(start.input);
  const [output, setOutput] = useState(start.output);
  const [problem, setProblem] = useState("");
  const { cacheRead, cacheWrite } = start;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const flaw = flawOf({ prefix: model, input, output, cacheRead: cacheRead ?? "", cacheWrite: cacheWrite ?? "" });
    setProblem(flaw);
    if (!flaw) onDone({ input, output, ...(cacheRead && { cacheRead }), ...(cacheWrite && { cacheWrite }) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    onDone(undefined);
  };
  return (
    <form className={styles.price} onSubmit={submit} onKeyDown={onKeyDown}>
      <span className={styles.about}>US dollars per million tokens</span>
      <label>
        in
        <input
          // biome-ignore lint/a11y/noAutofocus: it was asked for to be typed into.
          autoFocus
          inputMode="decimal"
          aria-label={`Input price of ${model}`}
          value={input}
          onChange={(event) => setInput(event.target.value.trim())}
        />
      </label>
      <label>
        out
        <input
          inputMode="decimal"
          aria-label={`Output price of ${model}`}
          value={output}
          onChange={(event) => setOutput(event.target.value.trim())}
        />
      </label>
      <Button type="submit" size="small" look="primary">
        Save price
      </Button>
      {hasOwn && (
        <Button size="small" look="quiet" onClick={() => onDone(null)}>
          Drop my price
        </Button>
      )}
      {problem && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </form>
  );
}
