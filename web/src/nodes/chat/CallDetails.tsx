import { FolderOpen, TriangleAlert } from "lucide-react";
import type { CardField, ToolCallRecord } from "../../wire/generated";
import styles from "./CallDetails.module.css";
import { DiffView } from "./DiffView";
import { foldedText, isCut } from "./folding";
import { ShowRest } from "./ShowRest";
import { toolArguments } from "./toolArguments";
import { visibleJson, visibleText } from "./visibleText";

interface CallDetailsProps {
  readonly call: ToolCallRecord;
  /** All of it, however long; else what is long is folded, with a way to ask for it. */
  readonly whole: boolean;
  readonly onWhole: () => void;
}

/**
 * What a call would do: the server's card of it, else its arguments as they came. Text of a model, drawn as text (T6).
 * Nothing scrolls in here: what is shown is in the way of whoever goes on to the decision.
 */
export function CallDetails({ call, whole, onWhole }: CallDetailsProps) {
  const { card } = call;
  const fold = { whole, onWhole };
  if (!card) return <Arguments argsJson={call.argsJson} {...fold} />;
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
      {card.command && <Command command={card.command} folder={card.folder ?? ""} {...fold} />}
      {fields.map((field) => (
        <Field key={field.name} field={field} {...fold} />
      ))}
      {card.diff && <DiffView diff={card.diff} added={card.added ?? 0} removed={card.removed ?? 0} {...fold} />}
      {card.note && <p className={styles.soft}>{card.note}</p>}
      {nothing && <p className={styles.soft}>No arguments</p>}
      {isCut(card) && <WholeArguments argsJson={call.argsJson} {...fold} />}
      {!card.ready && call.status === "awaiting" && <p className={styles.soft}>Working out what it would do…</p>}
    </div>
  );
}

type Fold = Pick<CallDetailsProps, "whole" | "onWhole">;

interface LongTextProps extends Fold {
  readonly text: string;
  readonly className: string | undefined;
}

function LongText({ text, className, whole, onWhole }: LongTextProps) {
  const folded = whole ? null : foldedText(text);
  const shown = (
    <pre dir="ltr" className={className}>
      {folded ? folded.head : text}
    </pre>
  );
  if (!folded) return shown;
  return (
    <div className={styles.folded}>
      {shown}
      <ShowRest what={folded.left} onShow={onWhole} />
    </div>
  );
}

interface CommandProps extends Fold {
  readonly command: string;
  readonly folder: string;
}

function Command({ command, folder, ...fold }: CommandProps) {
  return (
    <div>
      <LongText text={command} className={styles.command} {...fold} />
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

function Field({ field, ...fold }: Fold & { readonly field: CardField }) {
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
        <LongText text={field.text} className={styles.value} {...fold} />
      </dd>
    </dl>
  );
}

/** What the server's drawing leaves out is in the arguments, as JSON. */
function WholeArguments({ argsJson, whole, onWhole }: Fold & { readonly argsJson: string }) {
  if (!whole) {
    return (
      <div className={styles.folded}>
        <ShowRest what="the whole arguments" onShow={onWhole} />
      </div>
    );
  }
  return (
    <dl className={styles.field}>
      <dt>The whole arguments, as JSON</dt>
      <dd>
        <pre dir="ltr" className={styles.value}>
          {visibleJson(argsJson)}
        </pre>
      </dd>
    </dl>
  );
}

function Arguments({ argsJson, ...fold }: Fold & { readonly argsJson: string }) {
  const found = toolArguments(argsJson);
  if (!found) return <LongText text={visibleText(argsJson)} className={styles.value} {...fold} />;
  if (found.length === 0) return <p className={styles.soft}>No arguments</p>;
  return (
    <div className={styles.details}>
      {found.map(({ name, value }) => (
        <Field key={name} field={{ name: visibleText(name), text: visibleText(value), sizeBytes: 0 }} {...fold} />
      ))}
    </div>
  );
}
