import { type KeyboardEvent, useId, useLayoutEffect, useRef } from "react";
import type { WhenFull } from "../../fullChoices";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { names } from "../../ui/names";
import { FileChips } from "./FileChips";
import { FullChoices } from "./FullChoices";
import { focusComposer, focusConversation } from "./focusConversation";
import { grow } from "./grow";
import styles from "./MessageEditor.module.css";
import type { MessageEdit } from "./useMessageEdit";

/** Where a message stands, a field to say something else in its place (W13). Enter sends, Escape leaves it as it was. */
export function MessageEditor({ edit, text }: { readonly edit: MessageEdit; readonly text: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const hintId = useId();

  useLayoutEffect(() => grow(field.current, text), [text]);

  const leave = (end: () => void) => {
    if (field.current) focusConversation(field.current);
    end();
  };
  const submit = async (whenFull?: WhenFull) => {
    if (field.current) focusComposer(field.current);
    if (!(await edit.submit(whenFull))) field.current?.focus({ preventScroll: true });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (edit.canSend) void submit();
    } else if (event.key === "Escape") {
      event.preventDefault();
      leave(edit.cancel);
    }
  };

  return (
    <div className={styles.editor} data-testid={TEST_IDS.messageEditor}>
      <FileChips files={edit.files} className={styles.files} />
      <textarea
        ref={field}
        // biome-ignore lint/a11y/noAutofocus: it takes the place of the message that was just chosen.
        autoFocus
        rows={1}
        aria-label="Edit message"
        aria-describedby={hintId}
        className={names(styles.field, "nowheel nokey")}
        value={text}
        readOnly={edit.sending}
        onFocus={(event) => event.target.setSelectionRange(text.length, text.length)}
        onChange={(event) => edit.change(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {edit.refusal && (
        <p role="alert" className={styles.refusal}>
          {edit.refusal}
        </p>
      )}
      {edit.full && (
        <div className={styles.choices}>
          <FullChoices onChoose={(whenFull) => void submit(whenFull)} />
        </div>
      )}
      <div className={styles.foot}>
        <p id={hintId} className={styles.hint}>
          What it replaces is kept as a chat beside this one.
        </p>
        <Button size="small" look="quiet" onClick={() => leave(edit.cancel)}>
          Cancel
        </Button>
        <Button size="small" look="primary" disabled={!edit.canSend} onClick={() => void submit()}>
          Send
        </Button>
      </div>
    </div>
  );
}
