import { FileUp } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { useActions } from "../../canvas/useActions";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { wordsFor } from "../../wire/commands";
import type { ImportedFile, NodeId } from "../../wire/generated";
import styles from "./ImportDialog.module.css";

/** More than these are chosen by hand. */
const CHOSEN_AT_FIRST = 20;

/** A file of another chat tool: first what it holds, then what of that is wanted; nothing is added before (U13). */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const { http, ask, mirror, spotlight } = useTalkfield();
  const actions = useActions();
  const picker = useRef<HTMLInputElement>(null);
  const reading = useRef<AbortController | null>(null);
  const [state, setState] = useState<"empty" | "reading" | "adding">("empty");
  const [file, setFile] = useState<ImportedFile | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [words, setWords] = useState("");
  const [problem, setProblem] = useState("");

  const read = async (picked: File | undefined) => {
    if (!picked) return;
    const control = new AbortController();
    reading.current = control;
    setState("reading");
    setProblem("");
    try {
      const found = await http.previewImport(picked, control.signal);
      setFile(found);
      const all = found.conversations.length <= CHOSEN_AT_FIRST;
      setChosen(new Set(all ? found.conversations.keys() : []));
    } catch (error) {
      if (!control.signal.aborted) setProblem(wordsFor(error));
    }
    setState("empty");
  };
  const add = async () => {
    if (!file) return;
    setState("adding");
    const { x, y } = actions.besideEverything();
    const conversations = [...chosen].sort((left, right) => left - right);
    const ack = await ask({ do: "importConversations", file: file.id, conversations, x, y });
    setState("empty");
    const [first] = ack?.made ?? [];
    if (!ack || !first) return;
    await mirror.whenApplied(ack.seq);
    onClose();
    spotlight.show(first as NodeId);
  };
  const shown = useMemo(() => {
    const wanted = words.trim().toLowerCase();
    return [...(file?.conversations ?? []).entries()].filter(([, each]) => each.title.toLowerCase().includes(wanted));
  }, [file, words]);
  const allShown = shown.length > 0 && shown.every(([index]) => chosen.has(index));
  const choose = (indexes: readonly number[], on: boolean) =>
    setChosen((before) => {
      const next = new Set(before);
      for (const index of indexes) on ? next.add(index) : next.delete(index);
      return next;
    });

  return (
    <Dialog title="Import conversations" onClose={onClose} testId={TEST_IDS.importDialog}>
      <div className={styles.panel}>
        <p className={styles.about}>
          A ChatGPT or Claude data export (the archive, or its conversations.json), chats exported by Open WebUI, or a
          chat or canvas that Talkfield exported as JSON. You see what is in it before anything is added.
        </p>
        <div className={styles.bar}>
          <input
            ref={picker}
            type="file"
            accept=".json,.zip"
            aria-label="File to import"
            className={styles.file}
            data-testid={TEST_IDS.importFile}
            onChange={(event) => void read(event.target.files?.[0])}
          />
          <Button onClick={() => picker.current?.click()} disabled={state !== "empty"}>
            <FileUp size={15} /> Choose a file
          </Button>
          {state === "reading" && (
            <>
              <span role="status">Reading the file…</span>
              <Button look="quiet" onClick={() => reading.current?.abort()}>
                Cancel
              </Button>
            </>
          )}
        </div>
        {problem && (
          <p role="alert" className={styles.problem}>
            {problem}
          </p>
        )}
        {file && (
          <>
            <div className={styles.bar}>
              <input
                aria-label="Filter by title"
                placeholder="Filter by title"
                className={styles.filter}
                value={words}
                onChange={(event) => setWords(event.target.value)}
              />
              <label className={styles.all}>
                <input
                  type="checkbox"
                  checked={allShown}
                  onChange={(event) =>
                    choose(
                      shown.map(([index]) => index),
                      event.target.checked,
                    )
                  }
                />
                All {shown.length}
              </label>
            </div>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
            <section className={styles.list} aria-label="Conversations" tabIndex={0}>
              {shown.map(([index, each]) => (
                <label key={index} className={styles.row} data-testid={TEST_IDS.importRow}>
                  <input
                    type="checkbox"
                    checked={chosen.has(index)}
                    onChange={(event) => choose([index], event.target.checked)}
                  />
                  <span className={styles.title}>{each.title}</span>
                  <span className={styles.figures}>{figures(each.messages, each.branches, each.createdAt)}</span>
                </label>
              ))}
            </section>
            <div className={styles.foot}>
              <span className={styles.about}>
                {file.source}: {file.conversations.length}{" "}
                {file.source === "Talkfield" ? "chats and notes" : "conversations"}
                {file.leftOut ? `; ${file.leftOut} entries are empty or unknown` : ""}
              </span>
              <Button
                look="primary"
                disabled={chosen.size === 0 || state !== "empty"}
                data-testid={TEST_IDS.importAdd}
                onClick={() => void add()}
              >
                {state === "adding" ? "Adding…" : `Add ${chosen.size}`}
              </Button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}

function figures(messages: number, branches: number, at: number): string {
  const parts = messages === 0 ? [] : [messages === 1 ? "1 message" : `${messages} messages`];
  if (branches > 0) parts.push(branches === 1 ? "1 branch" : `${branches} branches`);
  if (at > 0) parts.push(new Date(at).toLocaleDateString());
  return parts.join(", ");
}
