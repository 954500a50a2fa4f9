import { useEffect, useRef, useState } from "react";
import { useRuns, useSettings } from "../../mirror/hooks";
import { StatusChip } from "../../nodes/chat/StatusChip";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { wordsFor } from "../../wire/commands";
import type { NodeId } from "../../wire/generated";
import { type PageWindowProps, useOpenWindow } from "../pageWindows";
import styles from "./Together.module.css";

const BUSY_WORDS = {
  queue: "it waits in the queue of chats that are answering",
  send: "replies that are being written are stopped first",
  prompt: "chats that are answering do not take it",
} as const;

/** One composer for the chats that are selected: each takes it as if it had been typed there (L4, W12). */
export function SendToAllDialog({ nodes, onClose }: PageWindowProps) {
  const { send, mirror } = useTalkfield();
  const openWindow = useOpenWindow();
  const runs = useRuns();
  const [left, setLeft] = useState(nodes);
  const [text, setText] = useState("");
  const [problems, setProblems] = useState<ReadonlyMap<NodeId, string>>(new Map());
  const [busy, setBusy] = useState(false);
  const behaviour = useSettings()?.enterBehavior ?? "queue";
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const anyBusy = runs.some((run) => left.includes(run.nodeId));

  const submit = async (compare: boolean) => {
    setBusy(true);
    const refused = new Map<NodeId, string>();
    for (const node of left) {
      try {
        await send({ do: "sendMessage", node, text });
      } catch (error) {
        refused.set(node, wordsFor(error));
      }
    }
    setBusy(false);
    // Those that took it are not sent it again.
    setLeft(left.filter((node) => refused.has(node)));
    setProblems(refused);
    if (refused.size > 0) return;
    onClose();
    if (compare) openWindow("compare", nodes);
  };

  return (
    <Dialog title="Send to the selected chats" onClose={onClose} testId={TEST_IDS.sendToAll}>
      <div className={styles.panel}>
        <textarea
          ref={field}
          aria-label="Message for all of them"
          placeholder="Message for all of them"
          className={styles.text}
          data-testid={TEST_IDS.sendToAllText}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
        <section className={styles.list} aria-label="Chats" tabIndex={0}>
          {left.map((node) => (
            <div key={node} className={styles.row}>
              <span className={styles.name}>{mirror.node(node)?.title || "New chat"}</span>
              <span className={styles.facts}>
                <StatusChip node={node} />
              </span>
              {problems.has(node) && (
                <p role="alert" className={styles.problem}>
                  {problems.get(node)}
                </p>
              )}
            </div>
          ))}
        </section>
        <div className={styles.foot}>
          <span className={styles.hint}>
            {anyBusy ? `As set: ${BUSY_WORDS[behaviour]}.` : "Each answers as if you had typed it there."}
          </span>
          <Button
            disabled={busy || text.trim() === ""}
            data-testid={TEST_IDS.sendToAllSend}
            onClick={() => void submit(false)}
          >
            {left.length === 1 ? "Send to 1 chat" : `Send to ${left.length} chats`}
          </Button>
          <Button
            look="primary"
            disabled={busy || text.trim() === "" || nodes.length < 2}
            onClick={() => void submit(true)}
          >
            Send and compare
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
