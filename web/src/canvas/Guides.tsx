import { useStore, ViewportPortal } from "@xyflow/react";
import { TEST_IDS } from "../testIds";
import type { Guide } from "./alignment";
import styles from "./Guides.module.css";

/** Lines that show what a moving node stands in line with. */
export function Guides({ guides }: { readonly guides: readonly Guide[] }) {
  const zoom = useStore((store) => store.transform[2]);
  if (guides.length === 0) return null;
  const thin = 1 / zoom;
  return (
    <ViewportPortal>
      {guides.map(({ axis, at, from, to }) => (
        <div
          key={`${axis}${at}`}
          data-testid={TEST_IDS.guide}
          className={styles.guide}
          style={
            axis === "x"
              ? { transform: `translate(${at - thin / 2}px, ${from}px)`, width: thin, height: to - from }
              : { transform: `translate(${from}px, ${at - thin / 2}px)`, width: to - from, height: thin }
          }
        />
      ))}
    </ViewportPortal>
  );
}
