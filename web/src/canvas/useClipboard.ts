/** Copy, cut and paste on the canvas. In a node or a field they belong to it (U4). */
import { useReactFlow } from "@xyflow/react";
import { useEffect } from "react";
import { useTalkfield } from "../Talkfield";
import { NODES_TYPE, readCopied, writeCopied } from "./clipboard";
import { keyPlaceOf } from "./shortcuts";
import { useActions } from "./useActions";

/** More than this is no note. */
const MAX_NOTE_CHARACTERS = 200_000;

export function useClipboard(): void {
  const { mirror } = useTalkfield();
  const actions = useActions();
  const flow = useReactFlow();
  useEffect(() => {
    let pointer: { x: number; y: number } | null = null;
    const onPointer = (event: PointerEvent) => {
      const onPane = event.target instanceof Element && event.target.classList.contains("react-flow__pane");
      pointer = onPane ? { x: event.clientX, y: event.clientY } : null;
    };
    const onCopy = (event: ClipboardEvent) => {
      if (!isForCanvas(event) || !window.getSelection()?.isCollapsed) return;
      const copied = actions.copySelected();
      if (!copied || !event.clipboardData) return;
      event.preventDefault();
      event.clipboardData.setData(NODES_TYPE, writeCopied(copied));
      const titles = copied.nodes.map((id) => mirror.node(id)?.title || "Untitled");
      event.clipboardData.setData("text/plain", titles.join("\n"));
    };
    const onPaste = (event: ClipboardEvent) => {
      if (!isForCanvas(event) || !event.clipboardData || mirror.nodes().length === 0) return;
      const at = pointer ? flow.screenToFlowPosition(pointer) : undefined;
      const copied = readCopied(event.clipboardData.getData(NODES_TYPE));
      const text = event.clipboardData.getData("text/plain").trim();
      if (copied) void actions.paste(copied, at);
      else if (text !== "" && text.length <= MAX_NOTE_CHARACTERS) void actions.add("sticky", at && rounded(at), text);
      else return;
      event.preventDefault();
    };
    window.addEventListener("pointermove", onPointer, { passive: true });
    document.addEventListener("copy", onCopy);
    document.addEventListener("paste", onPaste);
    return () => {
      window.removeEventListener("pointermove", onPointer);
      document.removeEventListener("copy", onCopy);
      document.removeEventListener("paste", onPaste);
    };
  }, [actions, flow, mirror]);
}

function isForCanvas(event: ClipboardEvent): boolean {
  return !event.defaultPrevented && keyPlaceOf(event.target) === "canvas";
}

function rounded({ x, y }: { readonly x: number; readonly y: number }) {
  return { x: Math.round(x), y: Math.round(y) };
}
