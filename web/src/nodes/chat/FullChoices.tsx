import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import type { WhenFull } from "./drafts";
import styles from "./FullChoices.module.css";

/** What may become of a message that is more, with all before it, than the model can take in (C7). */
export function FullChoices({ onChoose }: { readonly onChoose: (whenFull: WhenFull) => void }) {
  return (
    <div className={styles.choices}>
      <Button size="small" data-testid={TEST_IDS.leaveOut} onClick={() => onChoose("trim")}>
        Leave out the oldest turns
      </Button>
      <Button size="small" look="quiet" data-testid={TEST_IDS.sendAll} onClick={() => onChoose("send")}>
        Send all the same
      </Button>
    </div>
  );
}
