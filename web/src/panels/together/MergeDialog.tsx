import { useEffect, useRef, useState } from "react";
import type { WhenFull } from "../../fullChoices";
import { useProviders, useSettings } from "../../mirror/hooks";
import { chatModel } from "../../nodes/chat/chatModel";
import { FullChoices } from "../../nodes/chat/FullChoices";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { isFull, wordsFor } from "../../wire/commands";
import type { NodeId } from "../../wire/generated";
import type { PageWindowProps } from "../pageWindows";
import { ModelChecklist } from "./ModelChecklist";
import { INSTRUCTIONS } from "./mergeInstructions";
import { type Chosen, recipientsOf } from "./recipients";
import styles from "./Together.module.css";
import { lastWords } from "./useReplies";

/** What the selected nodes said last, numbered, goes into a new chat with a question about it (L4). */
export function MergeDialog({ nodes, onClose }: PageWindowProps) {
  const { send, mirror, spotlight } = useTalkfield();
  const providers = useProviders();
  const settings = useSettings();
  const [text, setText] = useState<string>(INSTRUCTIONS[0].text);
  const [chosen, setChosen] = useState<readonly Chosen[]>(() => firstChosen(nodes));
  const [problem, setProblem] = useState("");
  const [full, setFull] = useState(false);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);

  function firstChosen(of: readonly NodeId[]): readonly Chosen[] {
    const chats = of.flatMap((node) => mirror.node(node)?.data ?? []).filter((data) => data.kind === "chat");
    const { provider, model } = chatModel(chats[0] ?? { kind: "chat" }, settings, providers);
    return provider && model ? [{ provider: provider.provider, model, providerName: provider.name }] : [];
  }

  const submit = async (whenFull?: WhenFull) => {
    setBusy(true);
    setProblem("");
    setFull(false);
    try {
      const [asked] = recipientsOf(chosen);
      const ack = await send({ do: "mergeNodes", nodes, instruction: text, ...asked, ...(whenFull && { whenFull }) });
      await mirror.whenApplied(ack.seq);
      onClose();
      const [made] = (ack.made ?? []) as NodeId[];
      if (made) spotlight.show(made);
    } catch (error) {
      setProblem(wordsFor(error));
      setFull(isFull(error));
      setBusy(false);
    }
  };

  return (
    <Dialog title="Merge the last replies" onClose={onClose} testId={TEST_IDS.merge}>
      <div className={styles.panel}>
        <ol className={styles.parts} aria-label="What is merged">
          {nodes.map((node) => (
            <li key={node}>
              <span className={styles.name}>{mirror.node(node)?.title || "Untitled"}</span>
              <span className={styles.words}>{lastWords(mirror, node) || "has said nothing yet"}</span>
            </li>
          ))}
        </ol>
        <fieldset className={styles.presets} aria-label="Instruction">
          {INSTRUCTIONS.map((each) => (
            <Button key={each.name} size="small" aria-pressed={text === each.text} onClick={() => setText(each.text)}>
              {each.name}
            </Button>
          ))}
        </fieldset>
        <textarea
          ref={field}
          aria-label="What is to be made of them"
          className={styles.text}
          data-testid={TEST_IDS.mergeText}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <ModelChecklist chosen={chosen} onChange={(next) => setChosen(next.slice(-1))} />
        {problem && (
          <p role="alert" className={styles.problem}>
            {problem}
          </p>
        )}
        {full && <FullChoices onChoose={(whenFull) => void submit(whenFull)} />}
        <div className={styles.foot}>
          <span className={styles.hint}>
            They go into a new chat, numbered and titled, so that the reply can cite them.
          </span>
          <Button
            look="primary"
            disabled={busy || text.trim() === ""}
            data-testid={TEST_IDS.mergeSend}
            onClick={() => void submit()}
          >
            Merge {nodes.length}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
