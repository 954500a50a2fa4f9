import { Check, ChevronDown, Plus, Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { useNode, useProviders, useSettings } from "../../mirror/hooks";
import { useOpenSettings } from "../../panels/openSettings";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Floating } from "../../ui/Floating";
import { names } from "../../ui/names";
import type { ModelInfo, NodeId } from "../../wire/generated";
import { chatModel, isUsable, shortModel } from "./chatModel";
import styles from "./ModelPicker.module.css";
import { type ModelChoice, modelChoices, modelFacts } from "./modelChoices";

/** Which provider and model a chat asks; any model id can be typed. */
export function ModelPicker({ node }: { readonly node: NodeId }) {
  const data = useNode(node)?.data;
  const settings = useSettings();
  const providers = useProviders();
  const [open, setOpen] = useState(false);
  if (data?.kind !== "chat") return null;
  const { provider, model, isDefault } = chatModel(data, settings, providers);
  const words = model ? shortModel(model) : "Choose a model";
  const about = `${provider?.name ?? "No provider"}${model ? ` · ${model}` : ""}${isDefault ? " (default)" : ""}`;
  return (
    <Floating
      label="Choose a model"
      open={open}
      onOpenChange={setOpen}
      className={styles.panel}
      trigger={
        <button
          type="button"
          className={names(styles.trigger, "nodrag")}
          title={about}
          data-testid={TEST_IDS.modelPicker}
        >
          <span className="visually-hidden">Model: </span>
          <span className={styles.line}>
            <span className={styles.words}>{words}</span>
            {provider && model && <span className={styles.by}>{provider.name}</span>}
          </span>
          <ChevronDown size={13} className={styles.chevron} />
        </button>
      }
    >
      <ModelList
        node={node}
        current={{ provider: provider?.provider, model, isDefault }}
        onDone={() => setOpen(false)}
      />
    </Floating>
  );
}

interface ModelListProps {
  readonly node: NodeId;
  readonly current: { readonly provider: string | undefined; readonly model: string; readonly isDefault: boolean };
  readonly onDone: () => void;
}

function ModelList({ node, current, onDone }: ModelListProps) {
  const { ask } = useTalkfield();
  const openSettings = useOpenSettings();
  const providers = useProviders();
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const hidden = useSettings()?.hiddenModels;
  const groups = useMemo(() => modelChoices(providers, query, hidden), [providers, query, hidden]);
  const flat = useMemo(() => groups.flatMap((group) => group.choices), [groups]);
  const offset = query === "" ? 1 : 0;
  const count = flat.length + offset;
  const index = Math.min(active, count - 1);

  useEffect(() => {
    list.current?.querySelector(`[data-index="${index}"]`)?.scrollIntoView({ block: "nearest" });
  }, [index]);

  const choose = (choice: ModelChoice | null) => {
    onDone();
    void ask({
      do: "configureChat",
      node,
      provider: choice?.provider.provider ?? "",
      model: choice?.model ?? "",
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setActive((index + (event.key === "ArrowDown" ? 1 : count - 1)) % Math.max(1, count));
    } else if (event.key === "Enter" && count > 0) {
      event.preventDefault();
      choose(index < offset ? null : (flat[index - offset] ?? null));
    }
  };

  let place = offset;
  return (
    <>
      <div className={styles.search}>
        <Search size={14} />
        <input
          // biome-ignore lint/a11y/noAutofocus: the panel opens to be typed into.
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={count > 0 ? `${id}-${index}` : undefined}
          aria-label="Search models, or type a model id"
          placeholder="Search, or type a model id"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div ref={list} id={id} role="listbox" aria-label="Models" className={styles.list}>
        {offset > 0 && (
          <Option
            id={`${id}-0`}
            index={0}
            active={index === 0}
            chosen={current.isDefault}
            onChoose={() => choose(null)}
            onPoint={setActive}
          >
            Default from Settings
          </Option>
        )}
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options has no element of its own.
          <div key={group.provider.id} role="group" aria-label={group.provider.name}>
            <div className={styles.heading}>
              {group.provider.name}
              {!isUsable(group.provider) && (
                <span className={styles.problem}>{group.provider.message || "Not available"}</span>
              )}
            </div>
            {group.choices.map((choice) => {
              const at = place++;
              return (
                <Option
                  key={`${choice.model}${choice.typed ? " typed" : ""}`}
                  id={`${id}-${at}`}
                  index={at}
                  active={index === at}
                  chosen={
                    !current.isDefault &&
                    choice.provider.provider === current.provider &&
                    choice.model === current.model
                  }
                  onChoose={() => choose(choice)}
                  onPoint={setActive}
                >
                  {choice.typed ? `Use “${choice.model}”` : choice.model}
                  {choice.name && choice.name !== choice.model && <span className={styles.name}>{choice.name}</span>}
                  <Facts info={choice.info} />
                </Option>
              );
            })}
            {group.left > 0 && <p className={styles.left}>{group.left} more: type to find them</p>}
          </div>
        ))}
        {count === 0 && <p className={styles.left}>No model fits. A model id has no spaces.</p>}
      </div>
      {query === "" && (
        <button
          type="button"
          className={styles.add}
          onClick={() => {
            onDone();
            openSettings("providers-add");
          }}
        >
          <Plus size={14} />
          Add a provider
        </button>
      )}
    </>
  );
}

/** Its window and its prices for a million tokens in and out, where they are known. */
function Facts({ info }: { readonly info: ModelInfo | undefined }) {
  const { short, long } = modelFacts(info);
  if (!short) return null;
  return (
    <span className={styles.facts} title={long}>
      <span aria-hidden="true">{short}</span>
      <span className="visually-hidden">, {long}</span>
    </span>
  );
}

interface OptionProps {
  readonly id: string;
  readonly index: number;
  readonly active: boolean;
  readonly chosen: boolean;
  readonly onChoose: () => void;
  readonly onPoint: (index: number) => void;
  readonly children: React.ReactNode;
}

function Option({ id, index, active, chosen, onChoose, onPoint, children }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the search field's, which keeps the focus.
    // biome-ignore lint/a11y/useFocusableInteractive: the search field keeps the focus and names the active option.
    <div
      id={id}
      role="option"
      aria-selected={active}
      data-index={index}
      className={names(styles.option, active && styles.active)}
      onMouseMove={() => onPoint(index)}
      onClick={onChoose}
    >
      <Check size={14} className={names(styles.check, !chosen && styles.hidden)} />
      <span className={styles.label}>{children}</span>
    </div>
  );
}
