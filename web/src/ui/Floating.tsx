/** A panel beside what opened it; the page behind stays usable. */
import { Popover } from "radix-ui";
import type { ReactNode } from "react";
import styles from "./Floating.module.css";
import { names } from "./names";

interface FloatingProps {
  readonly trigger: ReactNode;
  readonly label: string;
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  readonly align?: "start" | "center" | "end";
  readonly className?: string | undefined;
  /** What gets the focus when it opens; else its first button or field. */
  readonly focusFirst?: () => HTMLElement | null;
  readonly children: ReactNode;
}

export function Floating(props: FloatingProps) {
  const { trigger, label, open, onOpenChange, align = "start", className, focusFirst, children } = props;
  const controlled = open === undefined ? {} : { open };
  const listening = onOpenChange ? { onOpenChange } : {};
  return (
    <Popover.Root {...controlled} {...listening}>
      <Popover.Trigger asChild>{trigger}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={label}
          align={align}
          sideOffset={5}
          collisionPadding={8}
          onOpenAutoFocus={(event) => {
            const wanted = focusFirst?.();
            if (!wanted) return;
            event.preventDefault();
            wanted.focus();
          }}
          className={names(styles.content, className, "nokey nodrag nopan nowheel")}
        >
          {children}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
