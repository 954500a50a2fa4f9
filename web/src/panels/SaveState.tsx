import { CloudOff } from "lucide-react";
import { useSave } from "../mirror/hooks";
import { TEST_IDS } from "../testIds";
import styles from "./SaveState.module.css";

/** Says when what is on screen is not on disk, and why (W9). Saved is the normal state and needs no words. */
export function SaveState() {
  const save = useSave();
  if (!save) return null;
  if (save.state === "saved") {
    return (
      <span className="visually-hidden" data-testid={TEST_IDS.saveState}>
        Saved
      </span>
    );
  }
  return (
    <span role="alert" className={styles.failed} title={save.message} data-testid={TEST_IDS.saveState}>
      <CloudOff size={15} />
      <span className={styles.words}>Not saved: {save.message}</span>
    </span>
  );
}
