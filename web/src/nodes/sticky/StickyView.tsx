import { Palette, Pencil, X } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { DRAG_HANDLE } from "../../canvas/toFlow";
import { useNode } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { IconButton } from "../../ui/Button";
import { Menu, MenuItem } from "../../ui/Menu";
import { names } from "../../ui/names";
import type { NodeColor, NodeId } from "../../wire/generated";
import { MessageContent, PlainText } from "../chat/MessageContent";
import styles from "./StickyView.module.css";

export const STICKY_COLORS: readonly NodeColor[] = ["yellow", "green", "blue", "pink", "grey"];

interface StickyViewProps {
  readonly node: NodeId;
  /** Seen from afar: its text as it is, without markdown. */
  readonly far: boolean;
}

/** A note in markdown; a double click or Enter edits it, a click elsewhere saves. */
export function StickyView({ node, far }: StickyViewProps) {
  const { ask, spotlight } = useTalkfield();
  const record = useNode(node);
  const [edited, setEdited] = useState<string | null>(null);
  const text = record?.data.kind === "sticky" ? (record.data.text ?? "") : "";
  const color = record?.data.kind === "sticky" ? (record.data.color ?? "yellow") : "yellow";
  // What is being written stays: a note can be asked for once more while it is open.
  const begin = useCallback(() => setEdited((current) => current ?? text), [text]);

  useEffect(() => {
    const takeFocus = () => {
      if (spotlight.takes(node)) begin();
    };
    takeFocus();
    return spotlight.subscribe(takeFocus);
  }, [spotlight, node, begin]);

  const end = async () => {
    if (edited === null) return;
    if (edited !== text && !(await ask({ do: "editSticky", node, text: edited }))) return;
    // What was written while the server answered stays to be saved in its turn.
    setEdited((current) => (current === edited ? null : current));
  };

  return (
    <div className={styles.sticky} data-color={color}>
      <header className={names(styles.header, DRAG_HANDLE)}>
        <Menu
          trigger={
            <IconButton small label="Colour" className="nodrag">
              <Palette size={13} />
            </IconButton>
          }
        >
          {STICKY_COLORS.map((each) => (
            <MenuItem
              key={each}
              icon={<span className={styles.swatch} data-color={each} />}
              onSelect={() => void ask({ do: "editSticky", node, color: each })}
            >
              {each[0]?.toUpperCase()}
              {each.slice(1)}
            </MenuItem>
          ))}
        </Menu>
        <IconButton small label="Edit note" className="nodrag" onClick={begin}>
          <Pencil size={13} />
        </IconButton>
        <span className={styles.spacer} />
        <IconButton
          small
          label="Close note"
          className="nodrag"
          data-testid={TEST_IDS.closeNode}
          onClick={() => void ask({ do: "removeNodes", nodes: [node] })}
        >
          <X size={14} />
        </IconButton>
      </header>
      {edited !== null ? (
        <textarea
          // biome-ignore lint/a11y/noAutofocus: it takes the place of the text that was just chosen.
          autoFocus
          aria-label="Note"
          className={names(styles.field, "nodrag nopan nowheel nokey")}
          placeholder="Write in markdown"
          value={edited}
          onChange={(event) => setEdited(event.target.value)}
          onKeyDown={(event) => {
            const saves = event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey));
            if (saves) void end();
          }}
          onBlur={() => void end()}
        />
      ) : (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          aria-label="Note"
          title="Double click or press Enter to edit"
          className={names(styles.text, far ? "" : "nodrag nowheel nokey")}
          onDoubleClick={begin}
          onKeyDown={(event) => {
            if (event.key === "Enter" && event.target === event.currentTarget) {
              event.preventDefault();
              begin();
            }
          }}
        >
          {text === "" ? (
            <span className={styles.empty}>Double click to write</span>
          ) : far ? (
            <PlainText text={text.slice(0, 300)} />
          ) : (
            <MessageContent text={text} streaming={false} />
          )}
        </section>
      )}
    </div>
  );
}
