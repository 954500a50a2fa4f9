import { budgetWords } from "../../budgets/budgetWords";
import { useLimits } from "../../budgets/useBudget";
import { nodeName } from "../../links/linkWords";
import { useNode } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { amount } from "../../ui/numbers";
import type { BudgetRecord, NodeId } from "../../wire/generated";
import styles from "./UsageDialog.module.css";

/** The limits on spending of the open project: how much of each is spent, or held for calls that go on (P8). */
export function LimitList({ onClose }: { readonly onClose: () => void }) {
  const limits = useLimits();
  if (limits.length === 0) return null;
  return (
    <section className={styles.limits} aria-label="Limits on spending in this project">
      <h3>Limits in this project</h3>
      <ul>
        {limits.map((limit) => (
          <Limit key={limit.id} limit={limit} onClose={onClose} />
        ))}
      </ul>
    </section>
  );
}

function Limit({ limit, onClose }: { readonly limit: BudgetRecord; readonly onClose: () => void }) {
  const { spotlight } = useTalkfield();
  const node = useNode(limit.nodeId ?? ("" as NodeId));
  const most = Number(limit.limitUsd);
  const spent = Number(limit.spentUsd ?? 0);
  const held = Object.values(limit.held ?? {}).reduce((sum, each) => sum + Number(each), 0);
  const name = limit.nodeId == null ? "The project" : node ? nodeName(node) : "Of what was closed";
  const show = () => {
    if (!node) return;
    onClose();
    spotlight.show(node.id);
  };
  return (
    <li data-testid={TEST_IDS.usageLimit}>
      {node ? (
        <button type="button" className={styles.limitName} onClick={show}>
          {name}
        </button>
      ) : (
        <span className={styles.limitName}>{name}</span>
      )}
      <meter
        className={styles.bar}
        aria-label={`Spent of the limit: ${name}`}
        min={0}
        max={most || 1}
        low={0.8 * most}
        high={0.999 * most}
        optimum={0}
        value={Math.min(most || 1, spent + held)}
      />
      <span className={styles.limitWords}>
        {budgetWords(limit)}
        {held > 0 && `, ${amount(held)} held`}
      </span>
    </li>
  );
}
