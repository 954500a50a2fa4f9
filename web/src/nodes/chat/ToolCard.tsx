import { Ban, Check, ChevronRight, CircleHelp, LoaderCircle, Wrench, X } from "lucide-react";
import { memo, type ReactNode, useId, useState } from "react";
import { useCall } from "../../mirror/hooks";
import { TEST_IDS } from "../../testIds";
import { names } from "../../ui/names";
import type { CallId, CallStatus } from "../../wire/generated";
import { ApprovalForm } from "./ApprovalForm";
import styles from "./ToolCard.module.css";
import { argumentLine, toolArguments } from "./toolArguments";

const STATUS: Record<CallStatus, { readonly words: string; readonly icon: ReactNode }> = {
  awaiting: { words: "wants to run", icon: <CircleHelp size={14} /> },
  running: { words: "running", icon: <LoaderCircle size={14} className={styles.spin} /> },
  done: { words: "done", icon: <Check size={14} /> },
  error: { words: "failed", icon: <X size={14} /> },
  denied: { words: "denied", icon: <Ban size={14} /> },
  cancelled: { words: "cancelled", icon: <Ban size={14} /> },
};

/** One tool call: its exact arguments, its decision, its result. */
export const ToolCard = memo(function ToolCard({ id }: { readonly id: CallId }) {
  const call = useCall(id);
  const [unfolded, setUnfolded] = useState(false);
  const bodyId = useId();
  if (!call) return null;
  const status = STATUS[call.status];
  const awaiting = call.status === "awaiting";
  const open = unfolded || awaiting;
  return (
    <section
      className={names(styles.card, awaiting && styles.awaiting)}
      aria-label={`Tool ${call.name}: ${status.words}`}
      data-testid={TEST_IDS.toolCard}
      data-status={call.status}
    >
      <button
        type="button"
        className={styles.header}
        aria-expanded={open}
        aria-controls={bodyId}
        disabled={awaiting}
        onClick={() => setUnfolded(!unfolded)}
      >
        {awaiting ? (
          <Wrench size={14} className={styles.tool} />
        ) : (
          <ChevronRight size={14} className={names(styles.chevron, open && styles.open)} />
        )}
        <span className={styles.name}>{call.name}</span>
        <span className={styles.line}>{open ? "" : argumentLine(call.argsJson)}</span>
        <span className={styles.status} data-status={call.status}>
          {status.icon}
          {status.words}
        </span>
      </button>
      {open && (
        <div id={bodyId} className={styles.body}>
          <Arguments argsJson={call.argsJson} />
          {awaiting && <ApprovalForm call={call} />}
          {call.result !== undefined && call.result !== null && (
            <>
              <h4 className={styles.heading}>Result</h4>
              <pre className={names(styles.result, "nowheel")}>{call.result || "(empty)"}</pre>
            </>
          )}
        </div>
      )}
    </section>
  );
});

function Arguments({ argsJson }: { readonly argsJson: string }) {
  const found = toolArguments(argsJson);
  if (!found) return <pre className={names(styles.value, "nowheel")}>{argsJson}</pre>;
  if (found.length === 0) return <p className={styles.none}>No arguments</p>;
  return (
    <dl className={styles.arguments}>
      {found.map(({ name, value }) => (
        <div key={name} className={styles.argument}>
          <dt>{name}</dt>
          <dd>
            <pre className={names(styles.value, "nowheel")}>{value}</pre>
          </dd>
        </div>
      ))}
    </dl>
  );
}
