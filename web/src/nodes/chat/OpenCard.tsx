import { Wrench } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { TEST_IDS } from "../../testIds";
import { names } from "../../ui/names";
import type { ToolCallRecord } from "../../wire/generated";
import { ApprovalForm } from "./ApprovalForm";
import { CallDetails } from "./CallDetails";
import { focusCardBeside, focusToLeave } from "./cardFocus";
import { isFolded } from "./folding";
import styles from "./ToolCard.module.css";
import { useCallDecision } from "./useCallDecision";
import { stayHere } from "./useFollowScroll";

/**
 * A call that waits for a decision, in a transcript and in the inbox alike (U8). With the focus on the card: A approves,
 * D denies, E edits, the arrows go to the card beside it. What is folded has to be shown before it can be approved.
 */
export function OpenCard({ call }: { readonly call: ToolCallRecord }) {
  const card = useRef<HTMLElement>(null);
  const [whole, setWhole] = useState(false);
  const unfold = () => {
    if (card.current) stayHere(card.current);
    if (card.current?.contains(document.activeElement)) card.current.focus({ preventScroll: true }); // its button goes
    setWhole(true);
  };
  const decision = useCallDecision(call, {
    folded: !whole && isFolded(call.card),
    unfold,
    onDecide: () => (card.current ? focusToLeave(card.current) : () => {}),
  });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === "Escape" && decision.mode !== "ask") {
      event.preventDefault();
      event.stopPropagation();
      decision.open("ask");
      card.current?.focus();
      return;
    }
    if (isField(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (event.target !== card.current) return;
      event.preventDefault();
      focusCardBeside(event.currentTarget, event.key === "ArrowDown" ? 1 : -1);
      return;
    }
    if (decision.mode !== "ask" || event.repeat) return;
    const key = event.key.toLowerCase();
    if (key === "a") void decision.decide("approve");
    else if (key === "d") decision.open("deny");
    else if (key === "e") decision.open("edit");
    else return;
    event.preventDefault();
  };
  return (
    <section
      ref={card}
      className={names(styles.card, styles.awaiting)}
      aria-label={`Tool ${call.name} wants to run. A approves, D denies, E edits.`}
      data-testid={TEST_IDS.toolCard}
      data-status={call.status}
      data-open-card=""
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the card itself hears the keys of a decision (U8).
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div className={styles.header}>
        <Wrench size={14} className={styles.tool} />
        <span className={styles.name}>{call.name}</span>
        <span className={styles.line} />
        <span className={styles.status} data-status={call.status}>
          wants to run
        </span>
      </div>
      <div className={styles.body}>
        <CallDetails call={call} whole={whole} onWhole={unfold} />
        <ApprovalForm decision={decision} />
      </div>
    </section>
  );
}

function isField(target: EventTarget): boolean {
  return target instanceof Element && target.closest("input, textarea, select") !== null;
}
