import { type DragEvent, useState } from "react";
import { useTalkfield } from "../../Talkfield";
import type { NodeId } from "../../wire/generated";

const bringsFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");

/** Files that are dropped anywhere on a chat go to its composer. `over`: some are held over it now. */
export function useFileDrop(node: NodeId) {
  const { uploads } = useTalkfield();
  const [over, setOver] = useState(false);
  return {
    over,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!bringsFiles(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "copy";
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (!bringsFiles(event)) return;
        event.preventDefault();
        uploads.add(node, [...event.dataTransfer.files]);
        const composer = event.currentTarget.querySelector<HTMLElement>("textarea[data-composer]");
        composer?.focus({ preventScroll: true });
      },
    },
  } as const;
}
