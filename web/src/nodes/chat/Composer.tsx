import { LoaderCircle, Paperclip, Split } from "lucide-react";
import {
  type ChangeEvent,
  type ClipboardEvent,
  type FocusEvent,
  type KeyboardEvent,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { useRun, useServer } from "../../mirror/hooks";
import { useOpenWindow } from "../../panels/pageWindows";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { IconButton } from "../../ui/Button";
import { names } from "../../ui/names";
import type { NodeId, SlashCommandInfo } from "../../wire/generated";
import styles from "./Composer.module.css";
import { ComposerWarnings } from "./ComposerWarnings";
import { FileChips } from "./FileChips";
import { FullChoices } from "./FullChoices";
import { grow } from "./grow";
import { ParametersButton } from "./ParametersButton";
import { QueueList } from "./QueueList";
import { SendButton } from "./SendButton";
import { SlashMenu } from "./SlashMenu";
import { completed, slashMatches } from "./slashMatches";
import { useRecall } from "./useRecall";

/** Where a chat's next message is written. Its text is never lost: it stays until the server has it. */
export function Composer({ node }: { readonly node: NodeId }) {
  const { drafts, mirror, uploads, spotlight } = useTalkfield();
  const openWindow = useOpenWindow();
  const { slashCommands } = useServer();
  const run = useRun(node);
  const draft = useSyncExternalStore(
    useCallback((listener) => drafts.subscribe(node, listener), [drafts, node]),
    () => drafts.state(node),
  );
  const uploading = useSyncExternalStore(
    useCallback((listener) => uploads.subscribe(listener), [uploads]),
    () => uploads.list(node),
  );
  const { text, files, outgoing, refusal } = draft;
  const field = useRef<HTMLTextAreaElement>(null);
  const [chosen, setChosen] = useState(0);
  const [dismissedFor, setDismissedFor] = useState<string | null>(null);
  const recall = useRecall(node);
  const menuId = useId();
  const refusalId = useId();

  const matches = dismissedFor === text ? [] : slashMatches(text, slashCommands);
  const menuOpen = matches.length > 0 && !(matches.length === 1 && matches[0] && completed(matches[0]) === text);
  const active = Math.min(chosen, matches.length - 1);

  useLayoutEffect(() => grow(field.current, text), [text]);
  useEffect(() => {
    const takeFocus = () => {
      const element = field.current;
      if (!element || !spotlight.takes(node)) return;
      element.focus({ preventScroll: true });
      // What was never touched, a quotation say, is gone on with at its end.
      if (element.selectionEnd === 0) element.setSelectionRange(element.value.length, element.value.length);
    };
    takeFocus();
    return spotlight.subscribe(takeFocus);
  }, [spotlight, node]);

  const complete = (command: SlashCommandInfo) => {
    drafts.edit(node, completed(command));
    setChosen(0);
  };
  /** What is on its way to the server goes with it. */
  const submit = () => {
    field.current?.focus({ preventScroll: true });
    if (uploading.length > 0) void uploads.whenDone(node).then(() => drafts.submit(node));
    else void drafts.submit(node);
  };

  const submitInBranch = async () => {
    const show = spotlight.later();
    const ack = await drafts.submit(node, "branch");
    const [made] = ack?.made ?? [];
    if (!ack || !made) return;
    await mirror.whenApplied(ack.seq);
    show(made as NodeId);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const command = menuOpen ? matches[active] : undefined;
    if (command && handleMenuKey(event, command)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      submit();
    } else if (event.key === "Escape") {
      leave(event.currentTarget);
    } else {
      recall(event);
    }
  };

  const handleMenuKey = (event: KeyboardEvent, command: SlashCommandInfo): boolean => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step) setChosen((active + step + matches.length) % matches.length);
    else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey && completed(command) !== text)) {
      complete(command);
    } else if (event.key === "Escape") setDismissedFor(text);
    else return false;
    event.preventDefault();
    return true;
  };

  const onBlur = (_event: FocusEvent) => drafts.flush(node);
  const onPaste = (event: ClipboardEvent) => {
    const { files: pasted, types } = event.clipboardData;
    // Office programs put a picture of the text beside the text: then the text is meant.
    if (pasted.length === 0 || types.includes("text/plain")) return;
    event.preventDefault();
    uploads.add(node, pasted);
  };

  return (
    <div className={names(styles.composer, "nodrag nopan")}>
      {menuOpen && <SlashMenu id={menuId} commands={matches} active={active} onChoose={complete} onPoint={setChosen} />}
      <QueueList node={node} />
      {outgoing !== null && (
        <p className={styles.outgoing}>
          <LoaderCircle size={13} className={styles.spin} />
          <span>{outgoing || "Files"}</span>
        </p>
      )}
      {refusal && (
        <p id={refusalId} role="alert" className={styles.refusal} data-testid={TEST_IDS.refusal}>
          {refusal}
        </p>
      )}
      {draft.full && (
        <FullChoices
          onChoose={(whenFull) => void drafts.submit(node, whenFull)}
          onBranch={() => void submitInBranch()}
        />
      )}
      <div className={styles.box}>
        <FileChips
          files={files}
          uploads={uploading}
          className={styles.files}
          onRemove={(file) => drafts.detach(node, file)}
          onCancel={(upload) => uploads.cancel(node, upload.key)}
        />
        <ComposerWarnings node={node} draft={draft} />
        <div className={styles.line}>
          <AttachButton onPick={(picked) => uploads.add(node, picked)} />
          <textarea
            ref={field}
            rows={1}
            value={text}
            aria-label="Message"
            aria-describedby={refusal ? refusalId : undefined}
            aria-controls={menuOpen ? menuId : undefined}
            aria-activedescendant={menuOpen ? `${menuId}-${active}` : undefined}
            placeholder={run ? "Write the next message" : "Message, or / for commands"}
            className={names(styles.field, "nowheel nokey")}
            data-composer=""
            data-testid={TEST_IDS.composer}
            onChange={(event) => {
              drafts.edit(node, event.target.value);
              setChosen(0);
              setDismissedFor(null);
            }}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            onBlur={onBlur}
          />
          <IconButton
            label="Ask several models"
            title="Ask several models: each goes on from here in a chat of its own"
            className={styles.attach}
            data-testid={TEST_IDS.fanOutOpen}
            onClick={() => openWindow("fan-out", [node])}
          >
            <Split size={15} />
          </IconButton>
          <ParametersButton node={node} />
          <SendButton node={node} draft={draft} uploading={uploading.length > 0} onSend={submit} />
        </div>
      </div>
    </div>
  );
}

function AttachButton({ onPick }: { readonly onPick: (files: Iterable<File>) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const pick = (event: ChangeEvent<HTMLInputElement>) => {
    if (event.target.files) onPick([...event.target.files]);
    event.target.value = "";
  };
  return (
    <>
      <IconButton
        label="Attach files"
        title="Attach files; they can be pasted and dropped, too"
        className={styles.attach}
        data-testid={TEST_IDS.attach}
        onClick={() => input.current?.click()}
      >
        <Paperclip size={15} />
      </IconButton>
      <input ref={input} type="file" multiple hidden aria-label="Files to attach" onChange={pick} />
    </>
  );
}

/** To the node itself, where the canvas hears keys again. */
function leave(field: HTMLElement): void {
  const node = field.closest<HTMLElement>(".react-flow__node");
  if (node) node.focus({ preventScroll: true });
  else field.blur();
}
