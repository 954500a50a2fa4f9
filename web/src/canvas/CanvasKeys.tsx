import { useStoreApi } from "@xyflow/react";
import { useEffect } from "react";
import { useNodes } from "../mirror/hooks";
import { useTalkfield } from "../Talkfield";
import type { NodeId } from "../wire/generated";
import { keyPlaceOf, type Shortcut, shortcutFor } from "./shortcuts";
import { useActions } from "./useActions";

const WITHOUT_NODES: ReadonlySet<Shortcut> = new Set(["undo", "redo", "palette"]);

/** Keys pressed on the canvas. On an empty one letters belong to the first message. */
export function CanvasKeys({ onPalette }: { readonly onPalette: () => void }) {
  const { spotlight } = useTalkfield();
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
      const node = nodeOf(event.target);
      if (node && (event.key === "Enter" || event.key === "F2")) {
        event.preventDefault();
        spotlight.show(node);
        return;
      }
      const shortcut = shortcutFor(event, keyPlaceOf(event.target));
      if (!shortcut || (empty && (!WITHOUT_NODES.has(shortcut) || event.key === "/"))) return;
      if (shortcut === "close" && hasSelectedText()) return;
      event.preventDefault();
      doIt[shortcut]();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [actions, flow, empty, onPalette, spotlight]);
  return null;
}

/** The node that itself has the focus: Enter goes into it. */
function nodeOf(target: EventTarget | null): NodeId | null {
  const isNode = target instanceof HTMLElement && target.classList.contains("react-flow__node");
  return isNode ? ((target.dataset.id ?? null) as NodeId | null) : null;
}

/** Delete, pressed with text selected in a node, is not meant for the node. */
function hasSelectedText(): boolean {
  const selection = window.getSelection();
  return selection !== null && !selection.isCollapsed && selection.toString() !== "";
}
