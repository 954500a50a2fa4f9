import { Eye, EyeOff, Star } from "lucide-react";
import { useState } from "react";
import { modelFacts } from "../../nodes/chat/modelChoices";
import { TEST_IDS } from "../../testIds";
import { Button, IconButton } from "../../ui/Button";
import { names } from "../../ui/names";
import type { ModelInfo, PriceOverride } from "../../wire/generated";
import styles from "./ModelSettings.module.css";
import { PriceForm, type Rates } from "./PriceForm";

interface ModelRowProps {
  readonly id: string;
  readonly name: string;
  readonly info: ModelInfo | undefined;
  /** A price that is this model's own. */
  readonly own: PriceOverride | undefined;
  readonly isDefault: boolean;
  readonly isHidden: boolean;
  readonly onDefault: () => void;
  readonly onHide: (hide: boolean) => void;
  /** Null: the built-in price counts again. */
  readonly onPrice: (price: Rates | null) => void;
}

export function ModelRow({ id, name, info, own, isDefault, isHidden, onDefault, onHide, onPrice }: ModelRowProps) {
  const [pricing, setPricing] = useState(false);
  const { short, long } = modelFacts(info);
  return (
    <li className={names(styles.row, isHidden && styles.hidden)} data-testid={TEST_IDS.modelRow}>
      <div className={styles.who}>
        <span className={styles.id}>{id}</span>
        {name && name !== id && <span className={styles.name}>{name}</span>}
        {isHidden && <span className={styles.mark}>hidden</span>}
      </div>
      <span className={styles.facts} title={long}>
        {short || "price and context unknown"}
        {own && " · your price"}
      </span>
      <div className={styles.buttons}>
        <Button
          size="small"
          look="quiet"
          aria-expanded={pricing}
          aria-label={`Set the price of ${id}`}
          onClick={() => setPricing(!pricing)}
        >
          Price
        </Button>
        <IconButton
          small
          label={isDefault ? `New chats ask ${id}` : `Let new chats ask ${id}`}
          title={isDefault ? "New chats ask this one" : "Let new chats ask this one"}
          aria-pressed={isDefault}
          className={names(isDefault && styles.chosen)}
          onClick={onDefault}
        >
          <Star size={15} fill={isDefault ? "currentColor" : "none"} />
        </IconButton>
        <IconButton
          small
          label={isHidden ? `Offer ${id} again` : `Hide ${id}`}
          title={isHidden ? "Offer it again" : "Hide it where models are chosen"}
          aria-pressed={isHidden}
          onClick={() => onHide(!isHidden)}
        >
          {isHidden ? <EyeOff size={15} /> : <Eye size={15} />}
        </IconButton>
      </div>
      {pricing && (
        <PriceForm
          model={id}
          start={own ?? { input: info?.inputUsd ?? "", output: info?.outputUsd ?? "" }}
          hasOwn={own !== undefined}
          onDone={(rates) => {
            setPricing(false);
            if (rates !== undefined) onPrice(rates);
          }}
        />
      )}
    </li>
  );
}
