import { type KeyboardEvent, useState } from "react";
import { TextField } from "../../ui/Field";
import { useAtClose } from "./useAtClose";

interface NumberFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: number | null | undefined;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** What stands for: not set. */
  readonly placeholder?: string;
  readonly onSet: (value: number | undefined) => void;
}

/** A number that counts when the field is left, or at Enter; empty: not set. What is out of bounds is told, not sent. */
export function NumberField({ label, hint, value, min, max, step, placeholder, onSet }: NumberFieldProps) {
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
  useAtClose(end);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") end();
  };
  return (
    <TextField
      type="number"
      inputMode="decimal"
      label={label}
      hint={wrong ? <span role="alert">{wrong}</span> : hint}
      placeholder={placeholder ?? "Provider’s choice"}
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
