import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { useNode } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { Button } from "../../ui/Button";
import { names } from "../../ui/names";
import type { NodeId } from "../../wire/generated";
import styles from "./SystemPrompt.module.css";

/** The chat's system prompt, folded; nothing when there is none. `/system` sets it, too. */
export function SystemPrompt({ node }: { readonly node: NodeId }) {
  const data = useNode(node)?.data;
  const system = data?.kind === "chat" ? (data.system ?? "") : "";
  const [open, setOpen] = useState(false);
  if (!system) return null;
  return (
    <div className={styles.prompt}>
      <button type="button" className={styles.toggle} aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight size={14} className={names(styles.chevron, open && styles.open)} />
        System prompt
        {!open && <span className={styles.line}>{system}</span>}
      </button>
      {open && <SystemEditor key={system} node={node} system={system} onDone={() => setOpen(false)} />}
    </div>
  );
}

function SystemEditor({ node, system, onDone }: { node: NodeId; system: string; onDone: () => void }) {
  const { ask } = useTalkfield();
  const [text, setText] = useState(system);
  const id = useId();
  const save = async () => {
    if (await ask({ do: "configureChat", node, system: text })) onDone();
  };
  return (
    <div className={styles.editor}>
      <label htmlFor={id} className="visually-hidden">
        System prompt
      </label>
      <textarea
        id={id}
        className={names(styles.field, "nowheel nokey")}
        rows={Math.min(10, text.split("\n").length + 1)}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className={styles.buttons}>
        <Button size="small" look="quiet" onClick={onDone}>
          Cancel
        </Button>
        <Button size="small" look="primary" disabled={text === system} onClick={() => void save()}>
          Save
        </Button>
      </div>
    </div>
  );
}
