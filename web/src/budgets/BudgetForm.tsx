import { NumberField } from "../nodes/chat/NumberField";
import { useTalkfield } from "../Talkfield";
import { amount } from "../ui/numbers";
import type { NodeId } from "../wire/generated";
import styles from "./Budget.module.css";
import { useBudget } from "./useBudget";

interface BudgetFormProps {
  readonly node: NodeId;
  readonly whose: "chat" | "group";
}

/** The limits that a person can set from here: on this chat or group, and on the project. */
export function BudgetForm({ node, whose }: BudgetFormProps) {
  return (
    <div className={styles.form}>
      <Limit label={`Limit on this ${whose}, in dollars`} node={node} />
      <Limit label="Limit on the project, in dollars" />
      <p className={styles.about}>Before each call its worst case has to fit. Undo gives no money back.</p>
    </div>
  );
}

function Limit({ label, node }: { readonly label: string; readonly node?: NodeId }) {
  const { ask } = useTalkfield();
  const budget = useBudget(node);
  const limitUsd = budget?.limitUsd ?? null;
  const allowUnpriced = budget?.allowUnpriced ?? false;
  const about = node ? { node } : {};
  return (
    <div>
      <NumberField
        label={label}
        hint={budget ? `${amount(Number(budget.spentUsd ?? 0))} spent` : "Counts from when it is set."}
        placeholder="No limit"
        value={limitUsd === null ? null : Number(limitUsd)}
        min={0}
        max={1_000_000_000}
        step={0.01}
        onSet={(usd) =>
          void ask({ do: "setBudget", ...about, limitUsd: usd === undefined ? null : String(usd), allowUnpriced })
        }
      />
      {limitUsd !== null && (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={allowUnpriced}
            onChange={(event) => void ask({ do: "setBudget", ...about, limitUsd, allowUnpriced: event.target.checked })}
          />
          Let models without a known price answer, uncounted
        </label>
      )}
    </div>
  );
}
