import { TEST_IDS } from "../../testIds";
import { names } from "../../ui/names";
import { shortTime } from "../../ui/time";
import type { RuleDescription } from "../../wire/generated";
import styles from "./RuleTrialView.module.css";
import { trialWords, verdictWords } from "./trialWords";
import { useRuleTrial } from "./useRuleTrial";

/** A rule in words, and what it would have decided on the last calls, before anyone saves it (T7). */
export function RuleTrialView({ rule }: { readonly rule: RuleDescription }) {
  const { trial, problem } = useRuleTrial(rule);
  return (
    <div className={styles.trial} data-testid={TEST_IDS.ruleTrial} aria-live="polite">
      {problem && <p className={styles.problem}>{problem}</p>}
      {!problem && !trial && <p className={styles.soft}>Trying it on the last calls…</p>}
      {trial && (
        <>
          <p className={styles.words}>{trial.words}</p>
          {trial.fits === false && (
            <p className={styles.problem}>
              It would not answer for the call on this card, so it cannot be saved from here.
            </p>
          )}
          <p className={styles.soft}>{trialWords(trial)}</p>
          {trial.calls.length > 0 && (
            <details>
              <summary>Show {trial.calls.length === 1 ? "it" : "them"}</summary>
              <ul className={names(styles.calls, "nowheel")}>
                {trial.calls.map((call) => (
                  <li key={call.call} data-matched={call.matched && !call.asked}>
                    <span className={styles.verdict}>{verdictWords(call)}</span>
                    <code dir="ltr">{call.summary}</code>
                    <span className={styles.time}>{shortTime(call.at)}</span>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </>
      )}
    </div>
  );
}
