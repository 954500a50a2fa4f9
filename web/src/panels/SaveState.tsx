import { CloudOff } from "lucide-react";
import { useEffect } from "react";
import { useSave } from "../mirror/hooks";
import { TEST_IDS } from "../testIds";
import styles from "./SaveState.module.css";

/** Says when what is on screen is not on disk, and why (W9). Saved is the normal state and needs no words. */
export function SaveState() {
  const save = useSave();
  const failed = save?.state === "failed";
  useEffect(() => {
    if (!failed) return;
    // The browser asks in its own words whether the page is to be left.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [failed]);
  if (!save) return null;
  if (!failed) {
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
