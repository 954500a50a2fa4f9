import { useChanges } from "../mirror/useChanges";
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

interface Terms {
  readonly limitUsd: string | null;
  readonly allowUnpriced: boolean;
}

function Limit({ label, node }: { readonly label: string; readonly node?: NodeId }) {
  const { ask } = useTalkfield();
  const budget = useBudget(node);
  const known: Terms = { limitUsd: budget?.limitUsd ?? null, allowUnpriced: budget?.allowUnpriced ?? false };
  const [{ limitUsd, allowUnpriced }, change] = useChanges(known, (terms) =>
    ask({ do: "setBudget", ...(node && { node }), ...terms }),
  );
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
        onSet={(usd) => change((terms) => ({ ...terms, limitUsd: usd === undefined ? null : String(usd) }))}
      />
      {limitUsd !== null && (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={allowUnpriced}
            onChange={({ target: { checked } }) => change((terms) => ({ ...terms, allowUnpriced: checked }))}
          />
          Let models without a known price answer, uncounted
        </label>
      )}
    </div>
  );
}
