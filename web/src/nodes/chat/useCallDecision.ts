/** One person's decision on one call, while it is being made. */
import { useState } from "react";
import { useRun } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { wordsFor } from "../../wire/commands";
import type { RuleDescription, ToolCallRecord } from "../../wire/generated";
import { type RememberChoice, rememberChoices } from "./rememberChoices";
import { editableJson } from "./toolArguments";

export type DecisionMode = "ask" | "edit" | "deny";

export interface CallDecision {
  readonly mode: DecisionMode;
  readonly open: (mode: DecisionMode) => void;
  /** The arguments as they are being edited. */
  readonly edited: string;
  readonly edit: (text: string) => void;
  readonly reason: string;
  readonly say: (reason: string) => void;
  /** What may be remembered; the first of them remembers nothing. */
  readonly choices: readonly RememberChoice[];
  readonly choice: number;
  readonly choose: (choice: number) => void;
  /** The pattern as the person writes it; null where the choice says it all. */
  readonly pattern: string | null;
  readonly write: (pattern: string) => void;
  /** The rule that the choice would save, as things stand; null: none. */
  readonly rule: RuleDescription | null;
  /** Some of the call is not in sight yet: to approve is to see it first (T6). */
  readonly folded: boolean;
  /** What the call would do is still being worked out: there is nothing to approve yet (T6). */
  readonly preparing: boolean;
  readonly deciding: boolean;
  readonly problem: string;
  /** Sends it, for exactly the card that is shown (T6). True when it counted. */
  readonly decide: (decision: "approve" | "deny") => Promise<boolean>;
}

interface CardHandle {
  readonly folded: boolean;
  readonly unfold: () => void;
  /** Called before a decision is sent; what it gives is called after one that counted. */
  readonly onDecide: () => () => void;
}

export function useCallDecision(call: ToolCallRecord, { folded, unfold, onDecide }: CardHandle): CallDecision {
  const { send } = useTalkfield();
  const [mode, setMode] = useState<DecisionMode>("ask");
  const [edited, setEdited] = useState("");
  const [reason, setReason] = useState("");
  const [choice, setChoice] = useState(0);
  const [pattern, setPattern] = useState("");
  const [deciding, setDeciding] = useState(false);
  const [problem, setProblem] = useState("");
  const choices = rememberChoices(call.card?.offers ?? [], call.nodeId !== "");
  // Without a run nobody works anything out any more: a decision brings the turn back first (R14).
  const running = useRun(call.nodeId) !== undefined;
  const preparing = running && Boolean(call.card) && !call.card?.ready;
  const chosen = choices[choice];
  const remember =
    chosen?.written && chosen.remember ? { ...chosen.remember, pattern: pattern.trim() } : chosen?.remember;
  const rule: RuleDescription | null = remember
    ? {
        action: mode === "deny" ? "deny" : "allow",
        tool: call.name,
        kind: remember.kind,
        pattern: remember.pattern ?? "",
        ...(remember.scope === "chat" ? { node: call.nodeId } : {}),
        ...(mode === "edit" ? {} : { call: call.id }),
      }
    : null;

  const open = (next: DecisionMode) => {
    setProblem("");
    if (next === "edit") {
      setEdited(editableJson(call.argsJson));
      if (folded) unfold();
    }
    setMode(next);
  };
  const decide = async (decision: "approve" | "deny") => {
    if (deciding || (decision === "approve" && preparing)) return false;
    if (decision === "approve" && folded) {
      unfold();
      return false;
    }
    if (decision === "deny" && rule?.action === "allow") {
      open("deny"); // what would be remembered is shown before it is
      return false;
    }
    setDeciding(true);
    setProblem("");
    const leave = onDecide();
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
    choices,
    choice,
    choose: (next) => {
      setChoice(next);
      setPattern(choices[next]?.remember?.pattern ?? "");
    },
    pattern: chosen?.written ? pattern : null,
    write: setPattern,
    rule,
    folded,
    preparing,
    deciding,
    problem,
    decide,
  };
}
