/** The editing of one message in its place; what was typed outlives the message's being off screen. */
import { useState } from "react";
import type { WhenFull } from "../../fullChoices";
import { useTalkfield } from "../../Talkfield";
import { isFull, wordsFor } from "../../wire/commands";
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
  /** It was refused for being more than the model can take in: a person decides what then (C7). */
  readonly full: boolean;
  readonly sending: boolean;
  readonly begin: () => void;
  readonly change: (text: string) => void;
  readonly cancel: () => void;
  /** Sends it in the message's place (W13); a refusal keeps the text. True when it was sent. */
  readonly submit: (whenFull?: WhenFull) => Promise<boolean>;
}

const NO_FILES: readonly Attachment[] = [];

export function useMessageEdit(message: MessageRecord): MessageEdit {
  const { messageEdits, send } = useTalkfield();
  const [text, setText] = useState<string | null>(() => messageEdits.get(message.id) ?? null);
  const [refusal, setRefusal] = useState("");
  const [full, setFull] = useState(false);
  const [sending, setSending] = useState(false);
  const files = message.attachments ?? NO_FILES;
  const canSend = !sending && text !== null && (text.trim() !== "" || files.length > 0);
  const forgive = () => {
    setRefusal("");
    setFull(false);
  };
  const change = (next: string) => {
    messageEdits.set(message.id, next);
    setText(next);
    forgive();
  };
  const cancel = () => {
    messageEdits.delete(message.id);
    setText(null);
    forgive();
  };
  const submit = async (whenFull?: WhenFull) => {
    if (!canSend) return false;
    setSending(true);
    forgive();
    try {
      await send({ do: "editMessage", message: message.id, text, ...(whenFull && { whenFull }) });
    } catch (error) {
      setRefusal(wordsFor(error));
      setFull(isFull(error));
      return false;
    } finally {
      setSending(false);
    }
    cancel();
    return true;
  };
  return { text, files, canSend, refusal, full, sending, begin: () => change(message.content), change, cancel, submit };
}
