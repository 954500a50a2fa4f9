import type { ComponentProps } from "react";
import styles from "./Button.module.css";
import { names } from "./names";

type ButtonProps = ComponentProps<"button"> & {
  readonly look?: "plain" | "primary" | "quiet" | "danger";
  readonly size?: "medium" | "small";
};

export function Button({ look = "plain", size = "medium", className, type = "button", ...rest }: ButtonProps) {
  const looks = { plain: "", primary: styles.primary, quiet: styles.quiet, danger: styles.danger };
  return (
    <button
      type={type}
      className={names(styles.button, looks[look], size === "small" && styles.small, className)}
      {...rest}
    />
  );
}

type IconButtonProps = ComponentProps<"button"> & {
  /** What it does, for screen readers and as its tip. */
  readonly label: string;
  readonly small?: boolean;
};

export function IconButton({ label, small = false, className, title, type = "button", ...rest }: IconButtonProps) {
  return (
    <button
      type={type}
      aria-label={label}
      title={title ?? label}
      className={names(styles.icon, small && styles.iconSmall, className)}
      {...rest}
    />
  );
}
