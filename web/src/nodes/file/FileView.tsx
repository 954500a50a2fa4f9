import { FileText, FolderSearch, X } from "lucide-react";
import { useEffect, useState } from "react";
import { DRAG_HANDLE } from "../../canvas/toFlow";
import { useFileState, useNode } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button, IconButton } from "../../ui/Button";
import { names } from "../../ui/names";
import { fileSize } from "../../ui/numbers";
import { fullTime, shortTime } from "../../ui/time";
import type { FileStateRecord, NodeId } from "../../wire/generated";
import { MessageContent } from "../chat/MessageContent";
import { NodeTitle } from "../NodeTitle";
import styles from "./FileView.module.css";
import { PathField } from "./PathField";

interface FileViewProps {
  readonly node: NodeId;
  /** Seen from afar: its name alone. */
  readonly far: boolean;
}

/** What is in a file of the project, as it is now: links carry it, and turn amber when it changes (L1, L3). */
export function FileView({ node, far }: FileViewProps) {
  const { ask, spotlight } = useTalkfield();
  const record = useNode(node);
  const state = useFileState(node);
  const [choosing, setChoosing] = useState(false);
  const path = record?.data.kind === "file" ? (record.data.path ?? "") : "";
  const name = path.slice(path.lastIndexOf("/") + 1) || "File";

  useEffect(() => {
    const takeFocus = () => {
      if (path === "" && spotlight.takes(node)) setChoosing(true);
    };
    takeFocus();
    return spotlight.subscribe(takeFocus);
  }, [spotlight, node, path]);

  if (far) {
    return (
      <div className={names(styles.file, styles.far)}>
        <FileText size={26} />
        <p>{record?.title || name}</p>
      </div>
    );
  }
  return (
    <div className={styles.file}>
      <header className={names(styles.header, DRAG_HANDLE)}>
        <FileText size={14} />
        <NodeTitle node={node} fallback={name} />
        <IconButton small label="Choose another file" className="nodrag" onClick={() => setChoosing(true)}>
          <FolderSearch size={14} />
        </IconButton>
        <IconButton
          small
          label="Close file"
          title="Close file; the file itself stays as it is"
          className="nodrag"
          data-testid={TEST_IDS.closeNode}
          onClick={() => void ask({ do: "removeNodes", nodes: [node] })}
        >
          <X size={14} />
        </IconButton>
      </header>
      {choosing || path === "" ? (
        <PathField
          path={path}
          takesFocus={choosing}
          onEnd={() => setChoosing(false)}
          onChoose={async (chosen) => Boolean(await ask({ do: "editFile", node, path: chosen }))}
        />
      ) : (
        <p className={styles.about} title={state && !state.error ? fullTime(state.modifiedAt ?? 0) : undefined}>
          {path}
          {state && !state.error && ` · ${fileSize(state.sizeBytes ?? 0)} · ${shortTime(state.modifiedAt ?? 0)}`}
        </p>
      )}
      {path !== "" && <Content path={path} state={state} />}
    </div>
  );
}

/** Characters that are drawn at first: what links carry is all of it. */
const FIRST_CHARACTERS = 20_000;

function Content({ path, state }: { readonly path: string; readonly state: FileStateRecord | undefined }) {
  const [whole, setWhole] = useState(false);
  if (!state) return <p className={styles.note}>Reading…</p>;
  if (state.error) {
    return (
      <p className={styles.problem} role="status">
        {state.error}
      </p>
    );
  }
  const text = state.text ?? "";
  if (text === "") return <p className={styles.note}>It is empty.</p>;
  const isCut = !whole && text.length > FIRST_CHARACTERS;
  const shown = isCut ? text.slice(0, FIRST_CHARACTERS) : text;
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      aria-label={`Text of ${path}`}
      className={names(styles.content, "nodrag nowheel nokey")}
      data-testid={TEST_IDS.fileText}
    >
      {/\.(md|markdown)$/i.test(path) ? (
        <MessageContent text={shown} streaming={false} />
      ) : (
        <pre className={styles.text}>{shown}</pre>
      )}
      {isCut && (
        <Button size="small" onClick={() => setWhole(true)}>
          Show all of it
        </Button>
      )}
    </section>
  );
}
