/** Files that are dropped where no chat is start one, with the files in its composer (U11). */
import { useReactFlow } from "@xyflow/react";
import type { DragEvent } from "react";
import { useTalkfield } from "../Talkfield";
import { useActions } from "./useActions";

export interface CanvasDrop {
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDrop: (event: DragEvent) => void;
}

/** A chat that they are dropped on has taken them already. */
const isOurs = (event: DragEvent) => !event.defaultPrevented && event.dataTransfer.types.includes("Files");

export function useCanvasDrop(): CanvasDrop {
  const { mirror, uploads } = useTalkfield();
  const flow = useReactFlow();
  const actions = useActions();
  return {
    onDragOver: (event) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
    },
    onDrop: (event) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      const files = [...event.dataTransfer.files];
      if (files.length === 0) return;
      const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
      const corner = { x: Math.round(at.x - 60), y: Math.round(at.y - 24) };
      const start = async () => {
        const node = await actions.add("chat", mirror.nodes().length > 0 ? corner : undefined);
        if (node) uploads.add(node, files);
      };
      void start();
    },
  };
}
