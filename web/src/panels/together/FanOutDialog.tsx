import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useActions } from "../../canvas/useActions";
import type { WhenFull } from "../../fullChoices";
import { chatModel } from "../../nodes/chat/chatModel";
import { FullChoices } from "../../nodes/chat/FullChoices";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { isFull, wordsFor } from "../../wire/commands";
import type { NodeId } from "../../wire/generated";
import { type PageWindowProps, useOpenWindow } from "../pageWindows";
import { ModelChecklist } from "./ModelChecklist";
import { type Chosen, recipientsOf } from "./recipients";
import styles from "./Together.module.css";

/** One prompt for several models, each in a new chat (L4). With a chat, they go on from it and its composer's text. */
export function FanOutDialog({ nodes: [source], at, onClose }: PageWindowProps) {
  const { send, mirror, drafts } = useTalkfield();
  const actions = useActions();
  const openWindow = useOpenWindow();
  const [text, setText] = useState(source ? drafts.state(source).text : "");
  const [chosen, setChosen] = useState(() => firstChosen(source));
  const [problem, setProblem] = useState("");
  const [full, setFull] = useState(false);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  // A window of itself gives the focus to its Close button.
  useEffect(() => field.current?.focus(), []);
  const files = source ? drafts.state(source).files : [];
  const empty = text.trim() === "" && files.length === 0;

  const submit = async (compare: boolean, whenFull?: WhenFull) => {
    setBusy(true);
    setProblem("");
    setFull(false);
    try {
      const place = source ? { node: source } : (at ?? actions.besideEverything());
      const attachments = files.length > 0 ? { attachments: files } : {};
      const models = recipientsOf(chosen);
      const ack = await send({ do: "fanOut", text, models, ...attachments, ...place, ...(whenFull && { whenFull }) });
      if (source) {
        drafts.edit(source, "");
        for (const file of files) drafts.detach(source, file);
      }
      await mirror.whenApplied(ack.seq);
      const made = (ack.made ?? []) as NodeId[];
      flushSync(onClose);
      actions.reveal(made);
      if (compare) openWindow("compare", made);
    } catch (error) {
      setProblem(wordsFor(error));
      setFull(isFull(error));
      setBusy(false);
    }
  };

  function firstChosen(node: NodeId | undefined): readonly Chosen[] {
    const data = node ? mirror.node(node)?.data : undefined;
    const chat = data?.kind === "chat" ? data : ({ kind: "chat" } as const);
    const { provider, model } = chatModel(chat, mirror.settings(), mirror.providers());
    return provider && model ? [{ provider: provider.provider, model, providerName: provider.name }] : [];
  }

  return (
    <Dialog title="Ask several models" onClose={onClose} testId={TEST_IDS.fanOut}>
      <div className={styles.panel}>
        <textarea
          ref={field}
          aria-label="Message for all of them"
          placeholder="Message for all of them"
          className={styles.text}
          data-testid={TEST_IDS.fanOutText}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <ModelChecklist chosen={chosen} onChange={setChosen} />
        {problem && (
          <p role="alert" className={styles.problem}>
            {problem}
          </p>
        )}
        {full && <FullChoices onChoose={(whenFull) => void submit(chosen.length > 1, whenFull)} />}
        <div className={styles.foot}>
          <span className={styles.hint}>
            {source
              ? "Each goes on from this chat in one of its own; this one stays as it is."
              : "Each answers in a new chat, side by side."}
            {files.length > 0 && ` ${files.length === 1 ? "The file goes" : `${files.length} files go`} with it.`}
          </span>
          <Button
            disabled={busy || empty || chosen.length === 0}
            data-testid={TEST_IDS.fanOutSend}
            onClick={() => void submit(false)}
          >
            {chosen.length === 1 ? "Ask 1 model" : `Ask ${chosen.length} models`}
          </Button>
          <Button
            look="primary"
            disabled={busy || empty || chosen.length < 2}
            data-testid={TEST_IDS.fanOutCompare}
            onClick={() => void submit(true)}
          >
            Ask and compare
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
