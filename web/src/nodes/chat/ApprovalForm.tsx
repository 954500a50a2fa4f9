import { Check, ChevronsDown, Pencil, X } from "lucide-react";
import { useId } from "react";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { names } from "../../ui/names";
import styles from "./ApprovalForm.module.css";
import { RuleTrialView } from "./RuleTrialView";
import type { CallDecision } from "./useCallDecision";

/** A decision on one call: as it stands, with other arguments, or no, with a reason the model is told (T5, T6). */
export function ApprovalForm({ decision }: { readonly decision: CallDecision }) {
  const { mode, deciding } = decision;
  return (
    <div className={styles.form}>
      {mode === "edit" && (
        <textarea
          aria-label="Arguments as JSON"
          className={names(styles.editor, "nowheel nokey")}
          // biome-ignore lint/a11y/noAutofocus: it appears where the reader has just asked to edit.
          autoFocus
          rows={Math.min(24, decision.edited.split("\n").length + 1)}
          value={decision.edited}
          spellCheck={false}
          onChange={(event) => decision.edit(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void decision.decide("approve");
          }}
        />
      )}
      {mode === "deny" && (
        <input
          aria-label="Reason, which the model is told"
          className={names(styles.reason, "nokey")}
          placeholder="Reason, which the model is told (optional)"
          value={decision.reason}
          // biome-ignore lint/a11y/noAutofocus: it appears where the reader has just pressed Deny.
          autoFocus
          onChange={(event) => decision.say(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") void decision.decide("deny");
          }}
        />
      )}
      {decision.choices.length > 1 && <RememberField decision={decision} />}
      {decision.rule && <RuleTrialView rule={decision.rule} />}
      {decision.problem && (
        <p role="alert" className={styles.problem}>
          {decision.problem}
        </p>
      )}
      <div className={styles.buttons}>
        {mode !== "deny" && (
          <Button
            look="primary"
            size="small"
            disabled={deciding || decision.preparing}
            title={approveTitle(decision)}
            data-testid={TEST_IDS.approve}
            onClick={() => void decision.decide("approve")}
          >
            {decision.folded ? <ChevronsDown size={14} /> : <Check size={14} />}
            {approveWords(decision)}
          </Button>
        )}
        {mode !== "edit" && (
          <Button
            look={mode === "deny" ? "danger" : "plain"}
            size="small"
            disabled={deciding}
            data-testid={TEST_IDS.deny}
            onClick={() => void decision.decide("deny")}
          >
            <X size={14} />
            {mode === "deny" && decision.rule ? "Deny and remember" : "Deny"}
          </Button>
        )}
        <span className={styles.spacer} />
        {mode === "ask" ? (
          <>
            <Button
              look="quiet"
              size="small"
              disabled={deciding}
              title="Edit the arguments (E)"
              data-testid={TEST_IDS.editCall}
              onClick={() => decision.open("edit")}
            >
              <Pencil size={13} />
              Edit
            </Button>
            <Button
              look="quiet"
              size="small"
              disabled={deciding}
              title="Deny with a reason (D)"
              onClick={() => decision.open("deny")}
            >
              Deny with a reason
            </Button>
          </>
        ) : (
          <Button look="quiet" size="small" disabled={deciding} onClick={() => decision.open("ask")}>
            Back
          </Button>
        )}
      </div>
    </div>
  );
}

function approveWords({ mode, folded, rule }: CallDecision): string {
  if (folded) return "Show all of it";
  if (mode === "edit") return "Approve as edited";
  return rule ? "Approve and remember" : "Approve";
}

function approveTitle({ mode, folded }: CallDecision): string {
  if (folded) return "Show what is folded; then it can be approved (A)";
  return mode === "ask" ? "Approve (A)" : "Approve as edited (Ctrl Enter)";
}

function RememberField({ decision }: { readonly decision: CallDecision }) {
  const id = useId();
  return (
    <div className={styles.remember}>
      <label htmlFor={id}>Decide</label>
      <select
        id={id}
        className={names(styles.choice, "nokey")}
        data-testid={TEST_IDS.remember}
        value={decision.choice}
        onChange={(event) => decision.choose(Number(event.target.value))}
      >
        {decision.choices.map(({ words }, at) => (
          <option key={words} value={at}>
            {words}
          </option>
        ))}
      </select>
      {decision.pattern !== null && (
        <input
          aria-label="Which, as a pattern"
          className={names(styles.pattern, "nokey")}
          spellCheck={false}
          value={decision.pattern}
          onChange={(event) => decision.write(event.target.value)}
        />
      )}
    </div>
  );
}
