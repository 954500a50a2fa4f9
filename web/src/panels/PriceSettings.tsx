import { Plus, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { useSettings } from "../mirror/hooks";
import { useTalkfield } from "../Talkfield";
import { TEST_IDS } from "../testIds";
import { Button, IconButton } from "../ui/Button";
import { wordsFor } from "../wire/commands";
import type { PriceOverride } from "../wire/generated";
import { mergePrices } from "./mergePrices";
import styles from "./PriceSettings.module.css";

interface Line {
  readonly id: number;
  readonly prefix: string;
  readonly input: string;
  readonly output: string;
  readonly cacheRead: string;
  readonly cacheWrite: string;
}

const PRICE = /^\d{1,7}(\.\d{1,9})?$/;
const COLUMNS = [
  { name: "input", label: "Input" },
  { name: "output", label: "Output" },
  { name: "cacheRead", label: "Cache read" },
  { name: "cacheWrite", label: "Cache write" },
] as const;

const NO_PRICES: readonly PriceOverride[] = [];

let lastId = 0;

function lineOf(price: PriceOverride): Line {
  lastId += 1;
  const { prefix, input, output, cacheRead, cacheWrite } = price;
  return { id: lastId, prefix, input, output, cacheRead: cacheRead ?? "", cacheWrite: cacheWrite ?? "" };
}

/** One's own prices, before those of the built-in table. They count from now on: what was paid stays as it was (P7). */
export function PriceSettings() {
  const { send } = useTalkfield();
  const saved = useSettings()?.priceOverrides ?? NO_PRICES;
  /** What the server has, also from another tab, until something is edited here. */
  const known = useMemo(() => saved.map(lineOf), [saved]);
  const [edited, setEdited] = useState<readonly Line[] | null>(null);
  const [sent, setSent] = useState<readonly Line[] | null>(null);
  const [problem, setProblem] = useState("");
  /** What the server had when editing began. */
  const [base, setBase] = useState(NO_PRICES);
  const lines = edited ?? known;

  const edit = (next: readonly Line[]) => {
    if (edited === null) setBase(saved);
    setEdited(next);
  };
  const change = (id: number, fields: Partial<Line>) =>
    edit(lines.map((line) => (line.id === id ? { ...line, ...fields } : line)));
  const save = async () => {
    const wrong = lines.map(flawOf).find((flaw) => flaw !== "");
    setProblem(wrong ?? "");
    if (wrong) return;
    try {
      await send({ do: "changeSettings", priceOverrides: mergePrices(base, lines.map(priceOf), saved) });
      setSent(lines);
    } catch (error) {
      setProblem(wordsFor(error));
    }
  };
  return (
    <>
      <h3 className={styles.heading}>Your prices</h3>
      <p className={styles.about}>
        US dollars per million tokens, for models whose id begins like this. They go before the built-in prices, and
        what was said before keeps its cost.
      </p>
      <div className={styles.lines}>
        {lines.map((line) => (
          <fieldset key={line.id} className={styles.line} data-testid={TEST_IDS.priceLine}>
            <legend className={styles.legend}>{line.prefix || "New price"}</legend>
            <input
              aria-label="Model id begins with"
              placeholder="Model id"
              className={styles.prefix}
              value={line.prefix}
              onChange={(event) => change(line.id, { prefix: event.target.value })}
            />
            {COLUMNS.map(({ name, label }) => (
              <input
                key={name}
                aria-label={label}
                placeholder={label}
                inputMode="decimal"
                className={styles.price}
                value={line[name]}
                onChange={(event) => change(line.id, { [name]: event.target.value.trim() })}
              />
            ))}
            <IconButton
              label={`Remove the price of ${line.prefix || "this model"}`}
              title="Remove"
              onClick={() => edit(lines.filter((each) => each !== line))}
            >
              <Trash2 size={15} />
            </IconButton>
          </fieldset>
        ))}
      </div>
      <div className={styles.foot}>
        <Button onClick={() => edit([...lines, lineOf({ prefix: "", input: "", output: "" })])}>
          <Plus size={15} /> Add a price
        </Button>
        <Button look="primary" onClick={() => void save()} data-testid={TEST_IDS.pricesSave}>
          Save prices
        </Button>
        <span role="status">{sent === lines ? "Saved" : ""}</span>
      </div>
      {problem && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </>
  );
}

export function flawOf(line: Omit<Line, "id">): string {
  if (line.prefix.trim() === "") return "Each price needs the beginning of a model's id.";
  if (!PRICE.test(line.input) || !PRICE.test(line.output)) {
    return `${line.prefix}: input and output need a price, as 2.50.`;
  }
  const cached = [line.cacheRead, line.cacheWrite].every((price) => price === "" || PRICE.test(price));
  return cached ? "" : `${line.prefix}: a price of the cache is a number, as 0.25, or left empty.`;
}

function priceOf({ prefix, input, output, cacheRead, cacheWrite }: Line): PriceOverride {
  return {
    prefix: prefix.trim(),
    input,
    output,
    ...(cacheRead ? { cacheRead } : {}),
    ...(cacheWrite ? { cacheWrite } : {}),
  };
}
