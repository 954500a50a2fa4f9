import { type KeyboardEvent, useRef, useState } from "react";
import { useNode } from "../mirror/hooks";
import { useTalkfield } from "../Talkfield";
import { TEST_IDS } from "../testIds";
import { names } from "../ui/names";
import type { NodeId } from "../wire/generated";
import styles from "./NodeTitle.module.css";

interface NodeTitleProps {
  readonly node: NodeId;
  /** What stands there while a node has no title. */
  readonly fallback: string;
}

/** A node's title; a double click, Enter or F2 edits it. */
export function NodeTitle({ node, fallback }: NodeTitleProps) {
  const { ask } = useTalkfield();
  const title = useNode(node)?.title ?? "";
  const [edited, setEdited] = useState<string | null>(null);
  const closing = useRef(false);

  const end = (save: boolean) => {
    if (closing.current) return;
    closing.current = true;
    if (save && edited !== null && edited.trim() !== title) {
      void ask({ do: "renameNode", node, title: edited.trim() });
    }
    setEdited(null);
  };
  const begin = () => {
    closing.current = false;
    setEdited(title);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") end(true);
    if (event.key === "Escape") end(false);
  };

  if (edited !== null) {
    return (
      <input
        // biome-ignore lint/a11y/noAutofocus: it takes the place of the title that was just chosen.
        autoFocus
        aria-label="Title"
        className={names(styles.input, "nodrag nopan nokey")}
        data-testid={TEST_IDS.chatTitle}
        maxLength={200}
        value={edited}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setEdited(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => end(true)}
      />
    );
  }
  return (
    <button
      type="button"
      className={names(styles.title, !title && styles.untitled)}
      title={`${title || fallback} (double click to rename)`}
      data-testid={TEST_IDS.chatTitle}
      onDoubleClick={begin}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === "F2") {
          event.preventDefault();
          begin();
        }
      }}
    >
      {title || fallback}
    </button>
  );
}
