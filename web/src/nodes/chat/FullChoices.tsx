import { BRANCH_CHOICE, FULL_CHOICES, type WhenFull } from "../../fullChoices";
import { Button } from "../../ui/Button";
import styles from "./FullChoices.module.css";

interface FullChoicesProps {
  readonly onChoose: (whenFull: WhenFull) => void;
  /** Says it in a branch: for what is new. */
  readonly onBranch?: () => void;
}

/** What may become of a message that is more, with all before it, than the model can take in (C7). */
export function FullChoices({ onChoose, onBranch }: FullChoicesProps) {
  return (
    <div className={styles.choices}>
      {FULL_CHOICES.map(({ whenFull, label, testId }, place) => (
        <Button
          key={whenFull}
          size="small"
          look={place === 0 ? "plain" : "quiet"}
          data-testid={testId}
          onClick={() => onChoose(whenFull)}
        >
          {label}
        </Button>
      ))}
      {onBranch && (
        <Button size="small" look="quiet" data-testid={BRANCH_CHOICE.testId} onClick={onBranch}>
          {BRANCH_CHOICE.label}
        </Button>
      )}
    </div>
  );
}
