import { useStoreApi } from "@xyflow/react";
import { useEffect } from "react";
import { useNodes } from "../mirror/hooks";
import { keyPlaceOf, type Shortcut, shortcutFor } from "./shortcuts";
import { useActions } from "./useActions";

const WITHOUT_NODES: ReadonlySet<Shortcut> = new Set(["undo", "redo", "palette"]);

/** Keys pressed on the canvas. On an empty one letters belong to the first message. */
export function CanvasKeys({ onPalette }: { readonly onPalette: () => void }) {
  const actions = useActions();
  const flow = useStoreApi();
  const empty = useNodes().length === 0;
  useEffect(() => {
    const doIt: Record<Shortcut, () => void> = {
      undo: () => actions.travel("undo"),
      redo: () => actions.travel("redo"),
      "add-chat": () => void actions.add("chat"),
      "add-sticky": () => void actions.add("sticky"),
      close: actions.closeSelected,
      fit: actions.fit,
      palette: onPalette,
      "select-all": () => {
        const { nodes, addSelectedNodes } = flow.getState();
        addSelectedNodes(nodes.map((node) => node.id));
      },
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const shortcut = shortcutFor(event, keyPlaceOf(event.target));
      if (!shortcut || (empty && (!WITHOUT_NODES.has(shortcut) || event.key === "/"))) return;
      if (shortcut === "close" && hasSelectedText()) return;
      event.preventDefault();
      doIt[shortcut]();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [actions, flow, empty, onPalette]);
  return null;
}

/** Delete, pressed with text selected in a node, is not meant for the node. */
function hasSelectedText(): boolean {
  const selection = window.getSelection();
  return selection !== null && !selection.isCollapsed && selection.toString() !== "";
}
