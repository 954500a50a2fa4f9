/** Which key on the canvas asks for what; pure. Keys inside a node belong to the node (U4). */

export type Shortcut =
  | "undo"
  | "redo"
  | "add-chat"
  | "add-sticky"
  | "close"
  | "fit"
  | "palette"
  | "select-all"
  | "duplicate"
  | "group"
  | "fold"
  | "full-screen"
  | "tidy-grid"
  | "tidy-lineage"
  | "back"
  | "forward"
  | "update-links"
  | "next-project"
  | "project-before"
  | "keys";

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

/** Where a key was pressed: in a window or menu, in something that takes text, inside a node, or on the canvas itself. */
export type KeyPlace = "window" | "text" | "node" | "canvas";

const LETTERS: Readonly<Record<string, Shortcut>> = {
  n: "add-chat",
  s: "add-sticky",
  f: "fit",
  g: "group",
  h: "fold",
  o: "full-screen",
  t: "tidy-grid",
  r: "update-links",
};

const WITH_COMMAND: Readonly<Record<string, Shortcut>> = {
  z: "undo",
  y: "redo",
  a: "select-all",
  d: "duplicate",
};

export function shortcutFor(press: KeyPress, place: KeyPlace): Shortcut | null {
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  const command = press.ctrlKey || press.metaKey;
  if (command && !press.altKey && key === "k") return "palette";
  if (place !== "window" && press.altKey && !command && !press.shiftKey) {
    if (key === "PageDown") return "next-project";
    if (key === "PageUp") return "project-before";
  }
  if (place !== "canvas") return null;
  if (press.altKey) {
    if (command || press.shiftKey) return null;
    if (key === "ArrowLeft") return "back";
    return key === "ArrowRight" ? "forward" : null;
  }
  if (command) {
    if (key === "z" && press.shiftKey) return "redo";
    return WITH_COMMAND[key] ?? null;
  }
  if (key === "Delete") return "close";
  // Where these stand on the keyboard, and with which other keys, is the layout's matter.
  if (key === "/") return "palette";
  if (key === "?") return "keys";
  if (press.shiftKey) return key === "t" ? "tidy-lineage" : null;
  return LETTERS[key] ?? null;
}

/** Where `target` is. Without a target of its own a key is pressed on the canvas. */
export function keyPlaceOf(target: EventTarget | null): KeyPlace {
  if (!(target instanceof Element)) return "canvas";
  if (target.closest("[role=dialog], dialog, [role=menu], [role=listbox]")) return "window";
  if (target.closest('input, textarea, select, [contenteditable="true"], [contenteditable=""]')) return "text";
  if (target.closest(".nokey")) return "node";
  return "canvas";
}
