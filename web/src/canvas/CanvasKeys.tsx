import { useEffect } from "react";
import { useNodes } from "../mirror/hooks";
import { useProjectTabs } from "../panels/tabs/useProjectTabs";
import { useTalkfield } from "../Talkfield";
import type { NodeId } from "../wire/generated";
import { keyPlaceOf, type Shortcut, shortcutFor } from "./shortcuts";
import { useActions } from "./useActions";
import { useClipboard } from "./useClipboard";

const WITHOUT_NODES: ReadonlySet<Shortcut> = new Set(["undo", "redo", "palette", "next-project", "project-before"]);

interface CanvasKeysProps {
  readonly onPalette: () => void;
  /** The map of keys is asked for. */
  readonly onKeys: () => void;
}

/** Keys pressed on the canvas. On an empty one letters belong to the first message. */
export function CanvasKeys({ onPalette, onKeys }: CanvasKeysProps) {
  const { spotlight } = useTalkfield();
  const actions = useActions();
  const empty = useNodes().length === 0;
  const { step } = useProjectTabs();
  useClipboard();
  useEffect(() => {
    const doIt: Record<Shortcut, () => void> = {
      undo: () => actions.travel("undo"),
      redo: () => actions.travel("redo"),
      "add-chat": () => void actions.add("chat"),
      "add-sticky": () => void actions.add("sticky"),
      close: actions.closeSelected,
      fit: actions.fit,
      palette: onPalette,
      keys: onKeys,
      "select-all": actions.selectAll,
      duplicate: () => void actions.duplicateSelected(),
      group: () => void (actions.selected().length > 0 ? actions.groupSelected() : actions.add("group")),
      fold: actions.foldSelected,
      "full-screen": actions.fullScreenSelected,
      "tidy-grid": () => void actions.tidy("grid"),
      "tidy-lineage": () => void actions.tidy("lineage"),
      "update-links": actions.updateLinks,
      back: () => actions.go("back"),
      forward: () => actions.go("forward"),
      "next-project": () => step(1),
      "project-before": () => step(-1),
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
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
  }, [actions, empty, onPalette, onKeys, spotlight, step]);
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
