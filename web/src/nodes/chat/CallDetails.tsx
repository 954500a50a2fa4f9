import { FolderOpen, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { names } from "../../ui/names";
import type { CardField, ToolCallRecord } from "../../wire/generated";
import styles from "./CallDetails.module.css";
import { DiffView } from "./DiffView";
import { toolArguments } from "./toolArguments";

/** What a call would do: the server's card of it, else its arguments as they came. Text of a model, drawn as text (T6). */
export function CallDetails({ call }: { readonly call: ToolCallRecord }) {
  const { card } = call;
  if (!card) return <Arguments argsJson={call.argsJson} />;
  const fields = card.fields ?? [];
  const nothing = fields.length === 0 && !card.command && !card.diff;
  return (
    <div className={styles.details}>
      {card.loud && (
        <p className={styles.loud}>
          <TriangleAlert size={15} />
          <span>{card.loud}</span>
        </p>
      )}
      {card.source && <p className={styles.soft}>From {card.source}</p>}
      {card.command && <Command command={card.command} folder={card.folder ?? ""} />}
      {fields.map((field) => (
        <Field key={field.name} field={field} />
      ))}
      {card.diff && <DiffView diff={card.diff} added={card.added ?? 0} removed={card.removed ?? 0} />}
      {card.note && <p className={styles.soft}>{card.note}</p>}
      {nothing && <p className={styles.soft}>No arguments</p>}
      {fields.some((field) => field.shortened) && <WholeArguments argsJson={call.argsJson} />}
      {!card.ready && call.status === "awaiting" && <p className={styles.soft}>Working out what it would do…</p>}
    </div>
  );
}

function Command({ command, folder }: { readonly command: string; readonly folder: string }) {
  return (
    <div>
      <pre dir="ltr" className={styles.command}>
        {command}
      </pre>
      {folder && (
        <p className={styles.folder}>
          <FolderOpen size={13} />
          <span className="visually-hidden">In the folder </span>
          <code dir="ltr">{folder}</code>
        </p>
      )}
    </div>
  );
}

function Field({ field }: { readonly field: CardField }) {
  const remarks = [
    ...(field.shortened ? [`${field.sizeBytes.toLocaleString("en")} bytes, shortened here`] : []),
    ...(field.altered ? ["what cannot be seen is written out"] : []),
  ];
  return (
    <dl className={styles.field}>
      <dt>
        {field.name}
        {remarks.length > 0 && <span className={styles.remark}> ({remarks.join("; ")})</span>}
      </dt>
      <dd>
        <pre dir="ltr" className={names(styles.value, "nowheel")}>
          {field.text}
        </pre>
      </dd>
    </dl>
  );
}

function WholeArguments({ argsJson }: { readonly argsJson: string }) {
  const [open, setOpen] = useState(false);
  return (
    <div>
      <button type="button" className={styles.whole} aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? "Hide the whole arguments" : "Show the whole arguments"}
      </button>
      {open && (
        <pre dir="ltr" className={names(styles.value, "nowheel")}>
          {argsJson}
        </pre>
      )}
    </div>
  );
}

function Arguments({ argsJson }: { readonly argsJson: string }) {
  const found = toolArguments(argsJson);
  if (!found) return <pre className={names(styles.value, "nowheel")}>{argsJson}</pre>;
  if (found.length === 0) return <p className={styles.soft}>No arguments</p>;
  return (
    <div className={styles.details}>
      {found.map(({ name, value }) => (
        <Field key={name} field={{ name, text: value, sizeBytes: 0 }} />
      ))}
    </div>
  );
}
