import { Wallet } from "lucide-react";
import { TEST_IDS } from "../testIds";
import { Floating } from "../ui/Floating";
import type { NodeId } from "../wire/generated";
import styles from "./Budget.module.css";
import { BudgetForm } from "./BudgetForm";
import { budgetWords } from "./budgetWords";
import { useBudget } from "./useBudget";
import { useWarning } from "./useWarning";

interface BudgetButtonProps {
  readonly node: NodeId;
  readonly whose: "chat" | "group";
}

/** Opens the limits on spending; shows where most of one is spent. */
export function BudgetButton({ node, whose }: BudgetButtonProps) {
  const own = useBudget(node);
  const project = useBudget();
  useWarning(whose, node);
  useWarning("project");
  const words = [
    own?.limitUsd != null && `this ${whose} ${budgetWords(own)}`,
    project?.limitUsd != null && `project ${budgetWords(project)}`,
  ].filter(Boolean);
  const warned = Boolean(own?.warned || project?.warned);
  const label = words.length > 0 ? `Limits on spending: ${words.join(", ")}` : "Limits on spending";
  return (
    <Floating
      label="Limits on spending"
      align="end"
      className={styles.panel}
      trigger={
        <button
          type="button"
          className={`${styles.trigger} nodrag`}
          aria-label={label}
          title={label}
          data-set={words.length > 0}
          data-warned={warned}
          data-testid={TEST_IDS.budget}
        >
          <Wallet size={14} />
        </button>
      }
    >
      <BudgetForm node={node} whose={whose} />
    </Floating>
  );
}
