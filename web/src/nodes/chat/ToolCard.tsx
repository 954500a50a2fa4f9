import { Ban, Check, ChevronRight, LoaderCircle, X } from "lucide-react";
import { memo, type ReactNode, useId, useState } from "react";
import { useCall } from "../../mirror/hooks";
import { TEST_IDS } from "../../testIds";
import { names } from "../../ui/names";
import type { Attachment, CallId, CallStatus, ToolCallRecord } from "../../wire/generated";
import { attachmentAddress } from "../../wire/http";
import { CallDetails } from "./CallDetails";
import { OpenCard } from "./OpenCard";
import styles from "./ToolCard.module.css";
import { argumentLine, resultText } from "./toolArguments";

const STATUS: Record<Exclude<CallStatus, "awaiting">, { readonly words: string; readonly icon: ReactNode }> = {
  running: { words: "running", icon: <LoaderCircle size={14} className={styles.spin} /> },
  done: { words: "done", icon: <Check size={14} /> },
  error: { words: "failed", icon: <X size={14} /> },
  denied: { words: "denied", icon: <Ban size={14} /> },
  cancelled: { words: "cancelled", icon: <Ban size={14} /> },
};

/** One tool call: what it would do, its decision, what it says while it runs, its result. */
export const ToolCard = memo(function ToolCard({ id }: { readonly id: CallId }) {
  const call = useCall(id);
  if (!call) return null;
  if (call.status === "awaiting") return <OpenCard call={call} />;
  return <DecidedCard call={call} status={STATUS[call.status]} />;
});

interface DecidedCardProps {
  readonly call: ToolCallRecord;
  readonly status: { readonly words: string; readonly icon: ReactNode };
}

function DecidedCard({ call, status }: DecidedCardProps) {
  const [unfolded, setUnfolded] = useState<boolean | null>(null);
  const [whole, setWhole] = useState(false);
  const bodyId = useId();
  const speaks = call.status === "running" && Boolean(call.output);
  const open = unfolded ?? speaks;
  return (
    <section
      className={styles.card}
      aria-label={`Tool ${call.name}: ${status.words}`}
      data-testid={TEST_IDS.toolCard}
      data-status={call.status}
    >
      <button
        type="button"
        className={styles.header}
        aria-expanded={open}
        aria-controls={bodyId}
        onClick={() => setUnfolded(!open)}
      >
        <ChevronRight size={14} className={names(styles.chevron, open && styles.open)} />
        <span className={styles.name}>{call.name}</span>
        <span className={styles.line}>{open ? "" : call.card?.command || argumentLine(call.argsJson)}</span>
        <span className={styles.status} data-status={call.status}>
          {status.icon}
          {status.words}
        </span>
      </button>
      {open && (
        <div id={bodyId} className={styles.body}>
          <CallDetails call={call} whole={whole} onWhole={() => setWhole(true)} />
          {call.output && (call.result === undefined || call.result === null) && (
            <Text heading="Output so far" text={call.output} />
          )}
          {(call.files ?? []).length > 0 && <Pictures files={call.files ?? []} />}
          {call.result !== undefined && call.result !== null && (
            <Text heading="Result" text={resultText(call.result)} />
          )}
        </div>
      )}
    </section>
  );
}

/** What the tool gave to look at. Anything but a picture of pixels is only named: a browser keeps it as a file (X3). */
function Pictures({ files }: { readonly files: readonly Attachment[] }) {
  return (
    <>
      <h4 className={styles.heading}>Shown by the tool</h4>
      <div className={styles.pictures}>
        {files.map((file) => (
          <a key={file.id} href={attachmentAddress(file)} target="_blank" rel="noreferrer">
            {file.mediaType.startsWith("image/") ? (
              <img src={attachmentAddress(file)} alt={file.name} loading="lazy" draggable={false} />
            ) : (
              file.name
            )}
          </a>
        ))}
      </div>
    </>
  );
}

function Text({ heading, text }: { readonly heading: string; readonly text: string }) {
  return (
    <>
      <h4 className={styles.heading}>{heading}</h4>
      <pre dir="auto" className={names(styles.result, "nowheel")}>
        {text}
      </pre>
    </>
  );
}
