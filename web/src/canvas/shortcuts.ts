/** Which key on the canvas asks for what; pure. Keys inside a node belong to the node (U4). */

export type Shortcut = "undo" | "redo" | "add-chat" | "add-sticky" | "close" | "fit" | "palette" | "select-all";

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

/** Where a key was pressed: in something that takes text, inside a node, or on the canvas itself. */
export type KeyPlace = "text" | "node" | "canvas";

export function shortcutFor(press: KeyPress, place: KeyPlace): Shortcut | null {
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  const command = press.ctrlKey || press.metaKey;
  if (command && !press.altKey && key === "k") return "palette";
  if (place !== "canvas" || press.altKey) return null;
  if (command) {
    if (key === "z") return press.shiftKey ? "redo" : "undo";
    if (key === "y") return "redo";
    if (key === "a") return "select-all";
    return null;
  }
  if (key === "Delete") return "close";
  if (key === "/") return "palette";
  if (press.shiftKey) return null;
  if (key === "n") return "add-chat";
  if (key === "s") return "add-sticky";
  if (key === "f") return "fit";
  return null;
}

/** Where `target` is. Without a target of its own a key is pressed on the canvas. */
export function keyPlaceOf(target: EventTarget | null): KeyPlace {
  if (!(target instanceof Element)) return "canvas";
  if (target.closest('input, textarea, select, [contenteditable="true"], [contenteditable=""]')) return "text";
  if (target.closest(".nokey, [role=dialog], [role=menu], [role=listbox]")) return "node";
  return "canvas";
}
