import { Check, Pencil, X } from "lucide-react";
import { useState } from "react";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { names } from "../../ui/names";
import { wordsFor } from "../../wire/commands";
import type { ToolCallRecord } from "../../wire/generated";
import styles from "./ToolCard.module.css";

/** A decision on one call: as it stands, with other arguments, or no, with a reason the model is told (T5, T6). */
export function ApprovalForm({ call }: { readonly call: ToolCallRecord }) {
  const { send } = useTalkfield();
  const [mode, setMode] = useState<"ask" | "edit" | "deny">("ask");
  const [edited, setEdited] = useState("");
  const [reason, setReason] = useState("");
  const [deciding, setDeciding] = useState(false);
  const [problem, setProblem] = useState("");

  const decide = async (decision: "approve" | "deny") => {
    if (deciding) return;
    setDeciding(true);
    setProblem("");
    try {
      await send({
        do: "decideCall",
        node: call.nodeId,
        call: call.id,
        decision,
        ...(mode === "edit" && edited !== call.argsJson ? { argsJson: edited } : {}),
        ...(decision === "deny" && reason.trim() ? { reason: reason.trim() } : {}),
      });
    } catch (error) {
      setProblem(wordsFor(error));
      setDeciding(false);
    }
  };

  return (
    <div className={styles.approval}>
      {mode === "edit" && (
        <textarea
          aria-label="Arguments as JSON"
          className={names(styles.editor, "nowheel nokey")}
          rows={Math.min(10, edited.split("\n").length + 1)}
          value={edited}
          spellCheck={false}
          onChange={(event) => setEdited(event.target.value)}
        />
      )}
      {mode === "deny" && (
        <input
          aria-label="Reason, which the model is told"
          className={names(styles.reason, "nokey")}
          placeholder="Reason, which the model is told (optional)"
          value={reason}
          // biome-ignore lint/a11y/noAutofocus: it appears where the reader has just pressed Deny.
          autoFocus
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.nativeEvent.isComposing) void decide("deny");
          }}
        />
      )}
      {problem && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
      <div className={styles.buttons}>
        {mode !== "deny" && (
          <Button
            look="primary"
            size="small"
            disabled={deciding}
            data-testid={TEST_IDS.approve}
            onClick={() => void decide("approve")}
          >
            <Check size={14} />
            {mode === "edit" ? "Approve as edited" : "Approve"}
          </Button>
        )}
        <Button
          look={mode === "deny" ? "danger" : "plain"}
          size="small"
          disabled={deciding}
          data-testid={TEST_IDS.deny}
          onClick={() => void decide("deny")}
        >
          <X size={14} />
          Deny
        </Button>
        <span className={styles.spacer} />
        {mode === "ask" ? (
          <>
            <Button
              look="quiet"
              size="small"
              disabled={deciding}
              onClick={() => {
                setEdited(prettyJson(call.argsJson));
                setMode("edit");
              }}
            >
              <Pencil size={13} />
              Edit
            </Button>
            <Button look="quiet" size="small" disabled={deciding} onClick={() => setMode("deny")}>
              Deny with a reason
            </Button>
          </>
        ) : (
          <Button look="quiet" size="small" disabled={deciding} onClick={() => setMode("ask")}>
            Back
          </Button>
        )}
      </div>
    </div>
  );
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
