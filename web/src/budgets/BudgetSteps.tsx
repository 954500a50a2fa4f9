import { Coins, Scissors, Wallet } from "lucide-react";
import { useTalkfield } from "../Talkfield";
import { TEST_IDS } from "../testIds";
import { Button } from "../ui/Button";
import { Floating } from "../ui/Floating";
import type { NodeId } from "../wire/generated";
import styles from "./Budget.module.css";
import { BudgetForm } from "./BudgetForm";

/** What can be done where the next call does not fit into a limit: raise it, send less, ask a cheaper model. */
export function BudgetSteps({ node }: { readonly node: NodeId }) {
  const { ask } = useTalkfield();
  return (
    <>
      <Floating
        label="Limits on spending"
        className={styles.panel}
        trigger={
          <Button size="small">
            <Wallet size={13} />
            Raise the limit
          </Button>
        }
      >
        <BudgetForm node={node} whose="chat" />
      </Floating>
      <Button size="small" onClick={() => void ask({ do: "continueTurn", node, trim: true })}>
        <Scissors size={13} />
        Leave out older turns
      </Button>
      <Button size="small" onClick={(event) => openModels(event.currentTarget)}>
        <Coins size={13} />
        Choose a cheaper model
      </Button>
    </>
  );
}

/** Opens the models of the chat around an element. */
function openModels(within: HTMLElement) {
  for (let around: HTMLElement | null = within; around; around = around.parentElement) {
    const picker = around.querySelector<HTMLElement>(`[data-testid="${TEST_IDS.modelPicker}"]`);
    if (picker) {
      picker.click();
      return;
    }
  }
}
