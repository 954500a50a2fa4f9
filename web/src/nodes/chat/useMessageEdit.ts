/** The editing of one message in its place; what was typed outlives the message's being off screen. */
import { useState } from "react";
import { useTalkfield } from "../../Talkfield";
import { wordsFor } from "../../wire/commands";
import type { Attachment, MessageRecord } from "../../wire/generated";

export interface MessageEdit {
  /** Null: it is not being edited. */
  readonly text: string | null;
  /** What was sent with it, and goes with what is said in its place. */
  readonly files: readonly Attachment[];
  /** There is something to send: with files, the text may be empty (U11). */
  readonly canSend: boolean;
  /** Why the text was not sent; empty when nothing stands in the way. */
  readonly refusal: string;
  readonly sending: boolean;
  readonly begin: () => void;
  readonly change: (text: string) => void;
  readonly cancel: () => void;
  /** Sends it in the message's place (W13); a refusal keeps the text. True when it was sent. */
  readonly submit: () => Promise<boolean>;
}

const NO_FILES: readonly Attachment[] = [];

export function useMessageEdit(message: MessageRecord): MessageEdit {
  const { messageEdits, send } = useTalkfield();
  const [text, setText] = useState<string | null>(() => messageEdits.get(message.id) ?? null);
  const [refusal, setRefusal] = useState("");
  const [sending, setSending] = useState(false);
  const files = message.attachments ?? NO_FILES;
  const canSend = !sending && text !== null && (text.trim() !== "" || files.length > 0);
  const change = (next: string) => {
    messageEdits.set(message.id, next);
    setText(next);
    setRefusal("");
  };
  const cancel = () => {
    messageEdits.delete(message.id);
    setText(null);
    setRefusal("");
  };
  const submit = async () => {
    if (!canSend) return false;
    setSending(true);
    setRefusal("");
    try {
      await send({ do: "editMessage", message: message.id, text });
    } catch (error) {
      setRefusal(wordsFor(error));
      return false;
    } finally {
      setSending(false);
    }
    cancel();
    return true;
  };
  return { text, files, canSend, refusal, sending, begin: () => change(message.content), change, cancel, submit };
}
