import { type KeyboardEvent, useRef, useState } from "react";
import { useNode } from "../mirror/hooks";
import { useChanges } from "../mirror/useChanges";
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
  const [edited, setEdited] = useState<string | null>(null);
  const [title, change] = useChanges(useNode(node)?.title ?? "", async (next) => {
    const ack = await ask({ do: "renameNode", node, title: next });
    if (!ack) begin(next);
    return ack;
  });
  const closing = useRef(false);

  const begin = (text: string) => {
    closing.current = false;
    setEdited(text);
  };
  const end = (save: boolean) => {
    if (closing.current) return;
    closing.current = true;
    setEdited(null);
    const text = edited?.trim() ?? title;
    if (save && text !== title) change(() => text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
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
      onDoubleClick={() => begin(title)}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === "F2") {
          event.preventDefault();
          begin(title);
        }
      }}
    >
      {title || fallback}
    </button>
  );
}
