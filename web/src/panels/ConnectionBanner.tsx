import { LoaderCircle, WifiOff } from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { useTalkfield } from "../Talkfield";
import { TEST_IDS } from "../testIds";
import { Button } from "../ui/Button";
import styles from "./ConnectionBanner.module.css";

/** A drop that is over sooner than this is nobody's business. */
export const QUIET_DROP_MS = 1_500;

export function ConnectionBanner() {
  const { connection } = useTalkfield();
  const state = useSyncExternalStore(connection.subscribe, connection.getState);
  const down = state.status === "waiting" || state.status === "connecting";
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!down) {
      setLate(false);
      return;
    }
    const timer = setTimeout(() => setLate(true), QUIET_DROP_MS);
    return () => clearTimeout(timer);
  }, [down]);

  if (state.status === "stopped") {
    return (
      <div className={styles.banner} role="alert" data-tone="bad" data-testid={TEST_IDS.connectionBanner}>
        <WifiOff size={16} />
        <p>{state.message}</p>
        <Button size="small" onClick={() => window.location.reload()}>
          {state.canReload ? "Reload" : "Try again"}
        </Button>
      </div>
    );
  }
  if (!down || !late) return null;
  return (
    <div className={styles.banner} role="status" data-testid={TEST_IDS.connectionBanner}>
      <LoaderCircle size={16} className={styles.spin} />
      <p>
        {state.status === "waiting" ? `${state.message} ` : ""}
        Reconnecting. What you write is kept and goes out as soon as the server is back.
      </p>
      <Button size="small" onClick={() => connection.wake()}>
        Try now
      </Button>
    </div>
  );
}
