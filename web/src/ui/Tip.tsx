import { Tooltip } from "radix-ui";
import type { ReactNode } from "react";
import styles from "./Tip.module.css";

interface TipProps {
  /** Rendered only while it is shown: what it says may cost something to find out. */
  readonly words: ReactNode;
  readonly side?: "top" | "bottom";
  readonly align?: "start" | "center" | "end";
  /** A button or a link. */
  readonly children: ReactNode;
}

/** More about a control, on hover and on keyboard focus. */
export function Tip({ words, side = "top", align = "center", children }: TipProps) {
  return (
    <Tooltip.Provider delayDuration={250}>
      <Tooltip.Root>
        <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
        <Tooltip.Portal>
          <Tooltip.Content side={side} align={align} sideOffset={6} collisionPadding={8} className={styles.tip ?? ""}>
            {words}
          </Tooltip.Content>
        </Tooltip.Portal>
      </Tooltip.Root>
    </Tooltip.Provider>
  );
}
