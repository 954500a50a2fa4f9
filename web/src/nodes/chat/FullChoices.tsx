import { FULL_CHOICES, type WhenFull } from "../../fullChoices";
import { Button } from "../../ui/Button";
import styles from "./FullChoices.module.css";

/** What may become of a message that is more, with all before it, than the model can take in (C7). */
export function FullChoices({ onChoose }: { readonly onChoose: (whenFull: WhenFull) => void }) {
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
    </div>
  );
}
