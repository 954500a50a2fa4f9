import { X } from "lucide-react";
import { useState } from "react";
import { useProviders, useSettings } from "../../mirror/hooks";
import { isUsable } from "../../nodes/chat/chatModel";
import { modelChoices, modelFacts } from "../../nodes/chat/modelChoices";
import { TEST_IDS } from "../../testIds";
import { IconButton } from "../../ui/Button";
import { type Chosen, isChosen, MOST_MODELS, toggled } from "./recipients";
import styles from "./Together.module.css";

interface ModelChecklistProps {
  readonly chosen: readonly Chosen[];
  readonly onChange: (chosen: readonly Chosen[]) => void;
}

/** Several models to be asked: chips for those that are chosen, and a list to find more in. */
export function ModelChecklist({ chosen, onChange }: ModelChecklistProps) {
  const providers = useProviders();
  const [query, setQuery] = useState("");
  const groups = modelChoices(providers, query, useSettings()?.hiddenModels);
  return (
    <>
      {chosen.length > 0 && (
        <ul className={styles.chips} aria-label="Chosen models">
          {chosen.map((each) => (
            <li key={`${each.provider} ${each.model}`} className={styles.chip} title={each.providerName}>
              {each.model}
              <IconButton small label={`Leave out ${each.model}`} onClick={() => onChange(toggled(chosen, each))}>
                <X size={12} />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <input
        type="search"
        aria-label="Search models, or type a model id"
        placeholder="Search, or type a model id"
        className={styles.search}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className={styles.list} aria-label="Models" tabIndex={0}>
        {groups.map((group) => (
          <fieldset key={group.provider.id} className={styles.group}>
            <legend className={styles.heading}>
              {group.provider.name}
              {!isUsable(group.provider) && <span>{group.provider.message || "Not available"}</span>}
            </legend>
            {group.choices.map((choice) => {
              const on = isChosen(chosen, choice.provider.provider, choice.model);
              const one = {
                provider: choice.provider.provider,
                model: choice.model,
                providerName: choice.provider.name,
              };
              return (
                <label key={choice.model} className={styles.row} data-testid={TEST_IDS.modelChoice}>
                  <input
                    type="checkbox"
                    checked={on}
                    disabled={!on && chosen.length >= MOST_MODELS}
                    onChange={() => onChange(toggled(chosen, one))}
                  />
                  <span className={styles.name}>{choice.typed ? `Use “${choice.model}”` : choice.model}</span>
                  <span className={styles.facts}>{modelFacts(choice.info).short}</span>
                </label>
              );
            })}
            {group.left > 0 && <p className={styles.none}>{group.left} more: type to find them</p>}
          </fieldset>
        ))}
        {groups.length === 0 && <p className={styles.none}>No model fits. A model id has no spaces.</p>}
      </section>
    </>
  );
}
