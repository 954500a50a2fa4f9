import { ArrowUp, LoaderCircle, Square } from "lucide-react";
import {
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
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { names } from "../../ui/names";
import type { NodeId, SlashCommandInfo } from "../../wire/generated";
import styles from "./Composer.module.css";
import { isInputMethodKey, isSendKey } from "./composerKeys";
import { grow } from "./grow";
import { QueueList } from "./QueueList";
import { SlashMenu } from "./SlashMenu";
import { completed, slashMatches } from "./slashMatches";

/** Where a chat's next message is written. Its text is never lost: it stays until the server has it. */
export function Composer({ node }: { readonly node: NodeId }) {
  const { drafts, spotlight, takeBack } = useTalkfield();
  const { slashCommands } = useServer();
  const run = useRun(node);
  const { text, outgoing, refusal } = useSyncExternalStore(
    useCallback((listener) => drafts.subscribe(node, listener), [drafts, node]),
    () => drafts.state(node),
  );
  const field = useRef<HTMLTextAreaElement>(null);
  const justComposed = useRef(false);
  const [chosen, setChosen] = useState(0);
  const [dismissedFor, setDismissedFor] = useState<string | null>(null);
  const menuId = useId();
  const refusalId = useId();

  const matches = dismissedFor === text ? [] : slashMatches(text, slashCommands);
  const menuOpen = matches.length > 0 && !(matches.length === 1 && matches[0] && completed(matches[0]) === text);
  const active = Math.min(chosen, matches.length - 1);

  useLayoutEffect(() => grow(field.current, text), [text]);
  useEffect(() => {
    const takeFocus = () => {
      if (spotlight.takes(node)) field.current?.focus({ preventScroll: true });
    };
    takeFocus();
    return spotlight.subscribe(takeFocus);
  }, [spotlight, node]);

  const complete = (command: SlashCommandInfo) => {
    drafts.edit(node, completed(command));
    setChosen(0);
  };
  const submit = () => void drafts.submit(node);

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const press = { ...readKey(event), isComposing: event.nativeEvent.isComposing };
    if (isInputMethodKey(press, justComposed.current)) return;
    const command = menuOpen ? matches[active] : undefined;
    if (command && handleMenuKey(event, command)) return;
    if (isSendKey(press, justComposed.current)) {
      event.preventDefault();
      submit();
    } else if (event.key === "Escape") {
      leave(event.currentTarget);
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

  return (
    <div className={names(styles.composer, "nodrag nopan")}>
      {menuOpen && <SlashMenu id={menuId} commands={matches} active={active} onChoose={complete} onPoint={setChosen} />}
      <QueueList node={node} />
      {outgoing !== null && (
        <p className={styles.outgoing}>
          <LoaderCircle size={13} className={styles.spin} />
          <span>{outgoing}</span>
        </p>
      )}
      {refusal && (
        <p id={refusalId} role="alert" className={styles.refusal} data-testid={TEST_IDS.refusal}>
          {refusal}
        </p>
      )}
      <div className={styles.box}>
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
          onKeyUp={() => {
            justComposed.current = false;
          }}
          onCompositionEnd={() => {
            justComposed.current = true;
          }}
          onBlur={onBlur}
        />
        {run ? (
          <button
            type="button"
            className={names(styles.action, styles.stop)}
            aria-label="Stop the reply"
            title="Stop the reply"
            data-testid={TEST_IDS.stop}
            disabled={run.phase === "stopping"}
            onClick={() => void takeBack({ do: "stopTurn", node })}
          >
            <Square size={12} fill="currentColor" />
          </button>
        ) : (
          <button
            type="button"
            className={styles.action}
            aria-label="Send"
            title="Send (Enter)"
            data-testid={TEST_IDS.send}
            disabled={text.trim() === ""}
            onClick={submit}
          >
            <ArrowUp size={16} strokeWidth={2.4} />
          </button>
        )}
      </div>
    </div>
  );
}

/** To the node itself, where the canvas hears keys again. */
function leave(field: HTMLElement): void {
  const node = field.closest<HTMLElement>(".react-flow__node");
  if (node) node.focus({ preventScroll: true });
  else field.blur();
}

function readKey(event: KeyboardEvent): { key: string; shiftKey: boolean; keyCode: number } {
  return { key: event.key, shiftKey: event.shiftKey, keyCode: event.keyCode };
}
