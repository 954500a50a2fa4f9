import { useState } from "react";
import { useProviders, useSettings } from "../../mirror/hooks";
import { useChanges } from "../../mirror/useChanges";
import { isUsable } from "../../nodes/chat/chatModel";
import { MOST_PER_GROUP, modelsOf } from "../../nodes/chat/modelChoices";
import { useCommand } from "../../useCommand";
import type { ChangeSettings, NamedModel, PriceOverride, ProviderRecord } from "../../wire/generated";
import { ModelRow } from "./ModelRow";
import styles from "./ModelSettings.module.css";

const NO_MODELS: readonly NamedModel[] = [];
const NO_PRICES: readonly PriceOverride[] = [];

/** Every model of every provider: what it takes in and costs, which one new chats ask, which are offered at all. */
export function ModelSettings() {
  const { problem, run } = useCommand();
  const providers = useProviders();
  const [query, setQuery] = useState("");
  const settings = useSettings();
  const change = (change: Omit<ChangeSettings, "do">) => run({ do: "changeSettings", ...change });
  const [hidden, changeHidden] = useChanges(settings?.hiddenModels ?? NO_MODELS, (hiddenModels) =>
    change({ hiddenModels }),
  );
  const [prices, changePrices] = useChanges(settings?.priceOverrides ?? NO_PRICES, (priceOverrides) =>
    change({ priceOverrides }),
  );
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (
    <>
      <div className={styles.top}>
        <p className={styles.about}>
          What is changed here is in force at once. A hidden model is offered nowhere; chats that ask it go on.
        </p>
        <input
          type="search"
          aria-label="Search models"
          placeholder="Search models"
          className={styles.search}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      </div>
      {problem && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
      {providers.map((provider) => (
        <Models
          key={provider.id}
          provider={provider}
          words={words}
          hidden={hidden}
          prices={prices}
          onDefault={(model) => void change({ defaultProvider: provider.provider, defaultModel: model })}
          onHidden={changeHidden}
          onPrices={changePrices}
        />
      ))}
    </>
  );
}

interface ModelsProps {
  readonly provider: ProviderRecord;
  readonly words: readonly string[];
  readonly hidden: readonly NamedModel[];
  readonly prices: readonly PriceOverride[];
  readonly onDefault: (model: string) => void;
  readonly onHidden: (change: (hidden: readonly NamedModel[]) => readonly NamedModel[]) => void;
  readonly onPrices: (change: (prices: readonly PriceOverride[]) => readonly PriceOverride[]) => void;
}

function Models({ provider, words, hidden, prices, onDefault, onHidden, onPrices }: ModelsProps) {
  const settings = useSettings();
  const all = modelsOf(provider);
  const fitting = all.filter((choice) => {
    const text = `${choice.model} ${choice.name} ${provider.name}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  if (words.length > 0 && fitting.length === 0) return null;
  const isTheirs = settings?.defaultProvider ? settings.defaultProvider === provider.provider : provider.isDefault;
  const defaultModel = (settings?.defaultProvider === provider.provider && settings.defaultModel) || provider.model;
  return (
    <section aria-label={provider.name}>
      <h3 className={styles.heading}>
        {provider.name}
        {!isUsable(provider) && <span className={styles.about}>{provider.message || "Not available"}</span>}
      </h3>
      {all.length === 0 && <p className={styles.about}>It has named no models: a chat can ask any by its id.</p>}
      <ul className={styles.list}>
        {fitting.slice(0, MOST_PER_GROUP).map(({ model, name, info }) => {
          const isThis = (each: { readonly provider: string; readonly model: string }) =>
            each.provider === provider.provider && each.model === model;
          const isHidden = hidden.some(isThis);
          return (
            <ModelRow
              key={model}
              id={model}
              name={name}
              info={info}
              own={prices.find((price) => price.prefix === model)}
              isDefault={Boolean(isTheirs) && defaultModel === model}
              isHidden={isHidden}
              onDefault={() => onDefault(model)}
              onHide={(hide) =>
                onHidden((before) => {
                  const rest = before.filter((each) => !isThis(each));
                  return hide ? [...rest, { provider: provider.provider, model }] : rest;
                })
              }
              onPrice={(price) =>
                onPrices((before) => {
                  const others = before.filter((each) => each.prefix !== model);
                  return price ? [...others, { ...price, prefix: model }] : others;
                })
              }
            />
          );
        })}
      </ul>
      {fitting.length > MOST_PER_GROUP && (
        <p className={styles.about}>{fitting.length - MOST_PER_GROUP} more: search to find them</p>
      )}
    </section>
  );
}
