import { Panel, useStore } from "@xyflow/react";
import { Maximize, Minus, Plus } from "lucide-react";
import { TEST_IDS } from "../testIds";
import { IconButton } from "../ui/Button";
import { useActions } from "./useActions";
import styles from "./ZoomBar.module.css";

export function ZoomBar() {
  const { zoomBy, fit } = useActions();
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
    </Panel>
  );
}
