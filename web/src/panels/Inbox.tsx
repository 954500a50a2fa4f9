import { Bell, Locate } from "lucide-react";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useAwaitingCalls, useCall, useNodes } from "../mirror/hooks";
import { OpenCard } from "../nodes/chat/OpenCard";
import { useTalkfield } from "../Talkfield";
import { TEST_IDS } from "../testIds";
import { Button } from "../ui/Button";
import { Floating } from "../ui/Floating";
import type { CallId, NodeId } from "../wire/generated";
import styles from "./Inbox.module.css";
import { ServerQuestion, useAskedServers } from "./tools/ServerQuestion";

/**
 * Every card that waits for a decision, wherever on the canvas its chat is; to be decided here as well as there (U8).
 * And whether the programs that the project brings along may run (T10).
 */
export function Inbox() {
  const { spotlight } = useTalkfield();
  const calls = useAwaitingCalls();
  const nodes = useNodes();
  const [open, setOpen] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const asksForServers = useAskedServers().length > 0;
  const waiting = calls.length + (asksForServers ? 1 : 0);
  if (waiting === 0) return null;
  const show = (node: NodeId) => {
    // First the panel goes, which gives the focus back: then the chat can have it.
    flushSync(() => setOpen(false));
    spotlight.show(node);
  };
  return (
    <Floating
      label="Waiting for your decision"
      align="end"
      open={open}
      onOpenChange={setOpen}
      className={styles.panel}
      focusFirst={() => list.current?.querySelector<HTMLElement>("[data-open-card]") ?? null}
      trigger={
        <Button className={styles.trigger} data-testid={TEST_IDS.inbox}>
          <Bell size={15} />
          {waiting} {waiting === 1 ? "needs" : "need"} you
        </Button>
      }
    >
      <h2 className={styles.heading}>Waiting for your decision</h2>
      {asksForServers && <ServerQuestion />}
      <ul ref={list} className={styles.list} data-card-list="">
        {calls.map((call) => (
          <li key={call.id} className={styles.item} data-testid={TEST_IDS.inboxCard}>
            {call.nodeId === "" ? (
              <p className={styles.outside}>A program outside asks</p>
            ) : (
              <button type="button" className={styles.chat} title="Show this chat" onClick={() => show(call.nodeId)}>
                <Locate size={14} />
                <span>{nodes.find((node) => node.id === call.nodeId)?.title || "New chat"}</span>
              </button>
            )}
            <CurrentCard id={call.id} />
          </li>
        ))}
      </ul>
    </Floating>
  );
}

/** The list changes only with its members; what a card shows may come later than the card. */
function CurrentCard({ id }: { readonly id: CallId }) {
  const call = useCall(id);
  return call?.status === "awaiting" ? <OpenCard call={call} /> : null;
}
