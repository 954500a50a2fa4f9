import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { useServer } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { names } from "../../ui/names";
import styles from "./FileView.module.css";

interface PathFieldProps {
  readonly path: string;
  readonly takesFocus: boolean;
  /** True when the server has it. */
  readonly onChoose: (path: string) => Promise<boolean>;
  readonly onEnd: () => void;
}

/** Which file of the project: typed, with the files that fit below. Escape leaves it as it was. */
export function PathField({ path, takesFocus, onChoose, onEnd }: PathFieldProps) {
  const [text, setText] = useState(path);
  const files = useProjectFiles(text);
  const field = useRef<HTMLInputElement>(null);
  const list = useId();
  useEffect(() => {
    if (takesFocus) field.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted === "" || (wanted !== path && !(await onChoose(wanted)))) return;
    // What was typed on while the server answered stays.
    if (field.current?.value.trim() === wanted) onEnd();
  };
  return (
    <form className={names(styles.choose, "nodrag nopan nokey")} onSubmit={(event) => void submit(event)}>
      <input
        ref={field}
        aria-label="File of the project"
        placeholder="docs/plan.md"
        list={list}
        spellCheck={false}
        autoComplete="off"
        data-testid={TEST_IDS.filePath}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onEnd();
        }}
      />
      <datalist id={list}>
        {files.map((file) => (
          <option key={file} value={file} />
        ))}
      </datalist>
      <Button size="small" type="submit">
        Show
      </Button>
    </form>
  );
}

const TYPING_PAUSE_MS = 150;
const NONE: readonly string[] = [];

/** Files of the project whose path holds what is typed, found by the server. */
function useProjectFiles(typed: string): readonly string[] {
  const { http } = useTalkfield();
  const { project } = useServer();
  const [files, setFiles] = useState(NONE);
  useEffect(() => {
    if (!project) return;
    const control = new AbortController();
    const timer = setTimeout(async () => {
      // Without a list a path can be typed all the same, and what is wrong with it is said then.
      const found = await http.projectFiles(project, typed.trim(), control.signal).catch(() => null);
      if (!control.signal.aborted) setFiles(found?.files ?? NONE);
    }, TYPING_PAUSE_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [http, project, typed]);
  return files;
}
