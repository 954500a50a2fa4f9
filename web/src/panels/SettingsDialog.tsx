import { type KeyboardEvent, useState } from "react";
import { useServer } from "../mirror/hooks";
import { TEST_IDS } from "../testIds";
import { Dialog } from "../ui/Dialog";
import { names } from "../ui/names";
import { GeneralSettings } from "./GeneralSettings";
import { ProviderSettings } from "./ProviderSettings";
import styles from "./SettingsDialog.module.css";

export type SettingsTab = "providers" | "providers-add" | "general";

const TABS = [
  { id: "providers", title: "Providers" },
  { id: "general", title: "General" },
] as const;

interface SettingsDialogProps {
  readonly tab: SettingsTab;
  readonly onClose: () => void;
}

export function SettingsDialog({ tab, onClose }: SettingsDialogProps) {
  const { version } = useServer();
  const [open, setOpen] = useState<(typeof TABS)[number]["id"]>(tab === "general" ? "general" : "providers");
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const other = TABS.find((each) => each.id !== open);
    if (other) {
      setOpen(other.id);
      document.getElementById(`settings-tab-${other.id}`)?.focus();
    }
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
          {open === "general" ? <GeneralSettings /> : <ProviderSettings startsAdding={tab === "providers-add"} />}
        </div>
      </div>
    </Dialog>
  );
}
