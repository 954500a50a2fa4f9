import { Panel, useStore } from "@xyflow/react";
import { ArrowLeft, ArrowRight, Maximize, Minus, Plus } from "lucide-react";
import { useSyncExternalStore } from "react";
import { useTalkfield } from "../Talkfield";
import { TEST_IDS } from "../testIds";
import { IconButton } from "../ui/Button";
import { useActions } from "./useActions";
import styles from "./ZoomBar.module.css";

export function ZoomBar() {
  const { zoomBy, fit, go } = useActions();
  const { visits } = useTalkfield();
  const ways = useSyncExternalStore(visits.subscribe, visits.current);
  const percent = useStore((store) => Math.round(store.transform[2] * 100));
  return (
    <Panel position="bottom-left" className={styles.bar ?? ""}>
      <IconButton label="Zoom out" onClick={() => zoomBy(1 / 1.3)}>
        <Minus size={15} />
      </IconButton>
      <span className={styles.percent}>{percent} %</span>
      <IconButton label="Zoom in" onClick={() => zoomBy(1.3)}>
        <Plus size={15} />
      </IconButton>
      <IconButton label="Show everything" title="Show everything (F)" data-testid={TEST_IDS.fit} onClick={fit}>
        <Maximize size={14} />
      </IconButton>
      <span className={styles.line} />
      <IconButton
        label="Back"
        title="Back to where you looked before (Alt ←)"
        disabled={!ways.back}
        data-testid={TEST_IDS.back}
        onClick={() => go("back")}
      >
        <ArrowLeft size={14} />
      </IconButton>
      <IconButton
        label="Forward"
        title="Forward (Alt →)"
        disabled={!ways.forward}
        data-testid={TEST_IDS.forward}
        onClick={() => go("forward")}
      >
        <ArrowRight size={14} />
      </IconButton>
    </Panel>
  );
}
