/** Menus that never lock the page: they leave no style elements behind, which the content security policy forbids. */
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import styles from "./Menu.module.css";
import { names } from "./names";

interface MenuProps {
  readonly trigger: ReactNode;
  readonly children: ReactNode;
  readonly align?: "start" | "center" | "end";
  readonly side?: "top" | "bottom";
}

export function Menu({ trigger, children, align = "start", side = "bottom" }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <MenuContent align={align} side={side}>
        {children}
      </MenuContent>
    </DropdownMenu.Root>
  );
}

interface PointMenuProps {
  /** Where to open, in page pixels; null: closed. */
  readonly point: { readonly x: number; readonly y: number } | null;
  readonly onClose: () => void;
  readonly label: string;
  readonly children: ReactNode;
}

/** A menu at the pointer. */
export function PointMenu({ point, onClose, label, children }: PointMenuProps) {
  if (!point) return null;
  return (
    <DropdownMenu.Root key={`${point.x},${point.y}`} modal={false} open onOpenChange={(open) => !open && onClose()}>
      <DropdownMenu.Trigger asChild>
        <button
          type="button"
          tabIndex={-1}
          aria-label={label}
          style={{ position: "fixed", left: point.x, top: point.y, width: 0, height: 0, padding: 0, border: 0 }}
        />
      </DropdownMenu.Trigger>
      <MenuContent align="start" side="bottom">
        {children}
      </MenuContent>
    </DropdownMenu.Root>
  );
}

function MenuContent({ align, side, children }: Required<Omit<MenuProps, "trigger">>) {
  return (
    <DropdownMenu.Portal>
      <DropdownMenu.Content
        align={align}
        side={side}
        sideOffset={5}
        collisionPadding={8}
        className={names(styles.content, "nokey nodrag nopan nowheel")}
      >
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  );
}

interface MenuItemProps {
  readonly icon?: ReactNode;
  readonly keys?: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export function MenuItem({ icon, keys, danger = false, disabled = false, onSelect, children }: MenuItemProps) {
  return (
    <DropdownMenu.Item className={names(styles.item, danger && styles.danger)} disabled={disabled} onSelect={onSelect}>
      {icon}
      <span className={styles.label}>{children}</span>
      {keys && <span className={styles.keys}>{keys}</span>}
    </DropdownMenu.Item>
  );
}

export function MenuHeading({ children }: { readonly children: ReactNode }) {
  return <DropdownMenu.Label className={styles.heading}>{children}</DropdownMenu.Label>;
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className={styles.separator} />;
}
