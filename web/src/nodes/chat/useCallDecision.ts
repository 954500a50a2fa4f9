/** One person's decision on one call, while it is being made. */
import { useState } from "react";
import { useTalkfield } from "../../Talkfield";
import { wordsFor } from "../../wire/commands";
import type { RuleOffer, ToolCallRecord } from "../../wire/generated";
import { rememberChoices } from "./rememberChoices";

export type DecisionMode = "ask" | "edit" | "deny";

export interface CallDecision {
  readonly mode: DecisionMode;
  readonly open: (mode: DecisionMode) => void;
  /** The arguments as they are being edited. */
  readonly edited: string;
  readonly edit: (text: string) => void;
  readonly reason: string;
  readonly say: (reason: string) => void;
  readonly offers: readonly RuleOffer[];
  /** Which of `rememberChoices(offers)`; 0 remembers nothing. */
  readonly choice: number;
  readonly choose: (choice: number) => void;
  readonly deciding: boolean;
  readonly problem: string;
  /** Sends it, for exactly the card that is shown (T6). True when it counted. */
  readonly decide: (decision: "approve" | "deny") => Promise<boolean>;
}

/** `onDecide` is called before a decision is sent, and what it gives after one that counted. */
export function useCallDecision(call: ToolCallRecord, onDecide: () => () => void): CallDecision {
  const { send } = useTalkfield();
  const [mode, setMode] = useState<DecisionMode>("ask");
  const [edited, setEdited] = useState("");
  const [reason, setReason] = useState("");
  const [choice, setChoice] = useState(0);
  const [deciding, setDeciding] = useState(false);
  const [problem, setProblem] = useState("");
  const offers = call.card?.offers ?? [];

  const open = (next: DecisionMode) => {
    setProblem("");
    if (next === "edit") setEdited(prettyJson(call.argsJson));
    setMode(next);
  };
  const decide = async (decision: "approve" | "deny") => {
    if (deciding) return false;
    setDeciding(true);
    setProblem("");
    const leave = onDecide();
    const remember = rememberChoices(offers)[choice]?.remember;
    try {
      await send({
        do: "decideCall",
        node: call.nodeId,
        call: call.id,
        decision,
        ...(mode === "edit" && edited !== call.argsJson ? { argsJson: edited } : {}),
        ...(decision === "deny" && reason.trim() ? { reason: reason.trim() } : {}),
        ...(call.card ? { digest: call.card.digest } : {}),
        ...(remember ? { remember } : {}),
      });
    } catch (error) {
      setProblem(wordsFor(error));
      setDeciding(false);
      return false;
    }
    leave();
    return true;
  };
  return {
    mode,
    open,
    edited,
    edit: setEdited,
    reason,
    say: setReason,
    offers,
    choice,
    choose: setChoice,
    deciding,
    problem,
    decide,
  };
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
