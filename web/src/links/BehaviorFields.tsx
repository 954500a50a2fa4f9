import { useState } from "react";
import { SelectField, TextField } from "../ui/Field";
import type { EdgeId, InjectContext, LinkBehavior, WriteFile } from "../wire/generated";
import styles from "./LinkInspector.module.css";
import { SummaryFields } from "./SummaryFields";

/** A link's name; it is kept when the field is left. */
export function LinkName({ title, onChange }: { readonly title: string; readonly onChange: (title: string) => void }) {
  return <LeftField label="Name" value={title} placeholder="Shown on the line" onChange={onChange} />;
}

interface BehaviorFieldsProps {
  readonly edge: EdgeId;
  readonly behavior: LinkBehavior;
  /** Its source is one or more chats, of which a part can be chosen. */
  readonly ofChat: boolean;
  readonly onChange: (behavior: LinkBehavior) => void;
}

/** What a link does, and how. */
export function BehaviorFields({ edge, behavior, ofChat, onChange }: BehaviorFieldsProps) {
  const part = behavior.part ?? "lastReply";
  return (
    <>
      <SelectField
        label="Does"
        value={behavior.kind}
        onChange={(event) => onChange({ kind: event.target.value as LinkBehavior["kind"], part })}
      >
        <option value="injectContext">Add context to the chat</option>
        <option value="writeFile">Write to a file of the project</option>
      </SelectField>
      <SelectField
        label="What"
        value={part}
        onChange={(event) => onChange({ ...behavior, part: event.target.value as typeof part })}
      >
        <option value="lastReply">{ofChat ? "The last reply" : "All of its text"}</option>
        {ofChat && <option value="lastTurn">The last question and its reply</option>}
        {ofChat && <option value="conversation">The whole conversation</option>}
        <option value="summary">A summary, made when you ask for it</option>
      </SelectField>
      {part === "summary" && <SummaryFields edge={edge} />}
      {behavior.kind === "injectContext" ? (
        <ContextFields behavior={behavior} onChange={onChange} />
      ) : (
        <FileFields behavior={behavior} onChange={onChange} />
      )}
    </>
  );
}

function ContextFields(props: { readonly behavior: InjectContext; readonly onChange: (to: InjectContext) => void }) {
  const { behavior, onChange } = props;
  return (
    <>
      <SelectField
        label="When it runs"
        value={behavior.when ?? "now"}
        onChange={(event) => onChange({ ...behavior, when: event.target.value as "now" | "nextSend" })}
      >
        <option value="now">Add it at once</option>
        <option value="nextSend">Add it with my next message</option>
      </SelectField>
      <Check
        label="With the source's title above it"
        checked={behavior.wrapped ?? true}
        onChange={(wrapped) => onChange({ ...behavior, wrapped })}
      />
    </>
  );
}

function FileFields(props: { readonly behavior: WriteFile; readonly onChange: (to: WriteFile) => void }) {
  const { behavior, onChange } = props;
  return (
    <>
      <LeftField
        label="File"
        value={behavior.path ?? ""}
        placeholder="notes/summary.md"
        onChange={(path) => onChange({ ...behavior, path: path.trim() })}
      />
      <SelectField
        label="How"
        value={behavior.mode ?? "append"}
        onChange={(event) => onChange({ ...behavior, mode: event.target.value as "append" | "overwrite" })}
      >
        <option value="append">Add at its end</option>
        <option value="overwrite">Replace all of it</option>
      </SelectField>
      <Check
        label="With the source's title above it"
        checked={behavior.header ?? true}
        onChange={(header) => onChange({ ...behavior, header })}
      />
    </>
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

function Check({ label, checked, onChange }: CheckProps) {
  return (
    <label className={styles.switch}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}

interface LeftFieldProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly onChange: (value: string) => void;
}

/** A line of text that is sent when it is left or Enter is pressed, not with each key. */
function LeftField({ label, value, placeholder, onChange }: LeftFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const keep = () => {
    if (typed !== null && typed !== value) onChange(typed);
    setTyped(null);
  };
  return (
    <TextField
      label={label}
      value={typed ?? value}
      placeholder={placeholder}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={keep}
      onKeyDown={(event) => event.key === "Enter" && keep()}
    />
  );
}
