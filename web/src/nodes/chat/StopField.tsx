import { useState } from "react";
import { TextAreaField } from "../../ui/Field";
import { useAtClose } from "./useAtClose";

const MOST = 4;

interface StopFieldProps {
  readonly value: readonly string[];
  readonly onSet: (value: readonly string[] | undefined) => void;
}

/** Texts at which an answer ends, one on each line. They count when the field is left. */
export function StopField({ value, onSet }: StopFieldProps) {
  const known = value.map((text) => text.replaceAll("\n", "\\n")).join("\n");
  const [typed, setTyped] = useState<string | null>(null);
  const [wrong, setWrong] = useState(false);
  const end = () => {
    if (typed === null) return;
    const texts = typed
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.replaceAll("\\n", "\n"));
    const fits = texts.length <= MOST && texts.every((text) => text.length <= 100);
    setWrong(!fits);
    if (!fits) return;
    setTyped(null);
    if (typed !== known) onSet(texts.length > 0 ? texts : undefined);
  };
  useAtClose(end);
  return (
    <TextAreaField
      label="Stop at"
      rows={2}
      hint={
        wrong ? (
          <span role="alert">At most {MOST} texts of 100 characters</span>
        ) : (
          "A text on each line; \\n is a line’s end."
        )
      }
      placeholder="Provider’s choice"
      aria-invalid={wrong}
      value={typed ?? known}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={end}
    />
  );
}
