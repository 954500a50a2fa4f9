import { type KeyboardEvent, type ReactNode, useEffect, useState } from "react";
import { useServer } from "../mirror/hooks";
import { TEST_IDS } from "../testIds";
import { Dialog } from "../ui/Dialog";
import { names } from "../ui/names";
import { DataSettings } from "./data/DataSettings";
import { GeneralSettings } from "./GeneralSettings";
import { ModelSettings } from "./models/ModelSettings";
import { PriceSettings } from "./PriceSettings";
import { ProviderSettings } from "./ProviderSettings";
import styles from "./SettingsDialog.module.css";
import { AuditSettings } from "./tools/AuditSettings";
import { RuleSettings } from "./tools/RuleSettings";
import { ToolSettings } from "./tools/ToolSettings";

export type SettingsTab =
  | "providers"
  | "providers-add"
  | "tools"
  | "rules"
  | "audit"
  | "models"
  | "prices"
  | "data"
  | "general";

const TABS: readonly { readonly id: Exclude<SettingsTab, "providers-add">; readonly title: string }[] = [
  { id: "providers", title: "Providers" },
  { id: "models", title: "Models" },
  { id: "prices", title: "Prices" },
  { id: "tools", title: "Tools" },
  { id: "rules", title: "Rules" },
  { id: "audit", title: "What ran" },
  { id: "data", title: "Data" },
  { id: "general", title: "General" },
];

interface SettingsDialogProps {
  readonly tab: SettingsTab;
  readonly onClose: () => void;
}

export function SettingsDialog({ tab, onClose }: SettingsDialogProps) {
  const { version } = useServer();
  const [open, setOpen] = useState(tab === "providers-add" ? "providers" : tab);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const step = event.key === "ArrowDown" ? 1 : -1;
    const other = TABS[TABS.findIndex((each) => each.id === open) + step];
    if (other) {
      setOpen(other.id);
      document.getElementById(`settings-tab-${other.id}`)?.focus();
    }
  };
  useEffect(() => {
    document.getElementById(`settings-tab-${open}`)?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }, [open]);
  const panels: Record<(typeof TABS)[number]["id"], ReactNode> = {
    providers: <ProviderSettings startsAdding={tab === "providers-add"} />,
    models: <ModelSettings />,
    tools: <ToolSettings />,
    rules: <RuleSettings />,
    audit: <AuditSettings />,
    prices: <PriceSettings />,
    data: <DataSettings />,
    general: <GeneralSettings />,
  };
  return (
    <Dialog title="Settings" onClose={onClose} testId={TEST_IDS.settings}>
      <div className={styles.frame}>
        <nav className={styles.side}>
          <div role="tablist" aria-orientation="vertical" aria-label="Settings" className={styles.tabs}>
            {TABS.map((each) => (
              <button
                key={each.id}
                id={`settings-tab-${each.id}`}
                type="button"
                role="tab"
                aria-selected={open === each.id}
                aria-controls="settings-panel"
                tabIndex={open === each.id ? 0 : -1}
                className={names(styles.tab, open === each.id && styles.current)}
                onClick={() => setOpen(each.id)}
                onKeyDown={onKeyDown}
              >
                {each.title}
              </button>
            ))}
          </div>
          {version && <p className={styles.version}>Talkfield {version}</p>}
        </nav>
        <div id="settings-panel" role="tabpanel" aria-labelledby={`settings-tab-${open}`} className={styles.panel}>
          {panels[open]}
        </div>
      </div>
    </Dialog>
  );
}
