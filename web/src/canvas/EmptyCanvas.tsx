import { ArrowUp, LoaderCircle } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useLoaded, useNodes, useProviders, useSettings } from "../mirror/hooks";
import { chatModel, isUsable } from "../nodes/chat/chatModel";
import { isSendKey } from "../nodes/chat/composerKeys";
import { useTalkfield } from "../Talkfield";
import { TEST_IDS } from "../testIds";
import { Button } from "../ui/Button";
import { names } from "../ui/names";
import styles from "./EmptyCanvas.module.css";
import { keyPlaceOf } from "./shortcuts";
import { useActions } from "./useActions";

/** What an empty canvas shows: one line about itself, and a place to begin; typing anywhere lands there. */
export function EmptyCanvas({ onAddProvider }: { readonly onAddProvider: () => void }) {
  const loaded = useLoaded();
  const empty = useNodes().length === 0;
  return loaded && empty ? <FirstChat onAddProvider={onAddProvider} /> : null;
}

function FirstChat({ onAddProvider }: { readonly onAddProvider: () => void }) {
  const { drafts } = useTalkfield();
  const actions = useActions();
  const [text, setText] = useState("");
  const [starting, setStarting] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const typed = useRef("");
  const justComposed = useRef(false);

  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      const types = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (types && keyPlaceOf(event.target) === "canvas") field.current?.focus();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);

  const write = (value: string) => {
    typed.current = value;
    setText(value);
  };
  const start = async () => {
    const said = typed.current;
    if (starting || said.trim() === "") return;
    setStarting(true);
    write("");
    const node = await actions.add("chat");
    setStarting(false);
    // What was typed on meanwhile, perhaps in a field that is gone by now.
    const more = typed.current;
    if (!node) {
      write(said + more);
      return;
    }
    drafts.edit(node, said);
    void drafts.submit(node);
    if (more !== "") drafts.edit(node, more);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const press = { key: event.key, shiftKey: event.shiftKey, keyCode: event.keyCode };
    if (!isSendKey({ ...press, isComposing: event.nativeEvent.isComposing }, justComposed.current)) return;
    event.preventDefault();
    void start();
  };

  return (
    <section className={styles.place} aria-label="Start">
      <div className={styles.start}>
        <h1 className={styles.title}>Start a conversation</h1>
        <p className={styles.about}>Each one is a chat on this canvas. Many can run side by side.</p>
        <div className={styles.box}>
          <textarea
            ref={field}
            rows={2}
            value={text}
            aria-label="First message"
            placeholder="Just type"
            className={styles.field}
            data-testid={TEST_IDS.firstComposer}
            onChange={(event) => write(event.target.value)}
            onKeyDown={onKeyDown}
            onKeyUp={() => {
              justComposed.current = false;
            }}
            onCompositionEnd={() => {
              justComposed.current = true;
            }}
          />
          <button
            type="button"
            className={styles.send}
            aria-label="Start the chat"
            disabled={starting || text.trim() === ""}
            onClick={() => void start()}
          >
            {starting ? <LoaderCircle size={16} className={styles.spin} /> : <ArrowUp size={17} strokeWidth={2.4} />}
          </button>
        </div>
        <WhoAnswers onAddProvider={onAddProvider} />
      </div>
    </section>
  );
}

/** Who would answer the first message, or what it takes for someone to. */
function WhoAnswers({ onAddProvider }: { readonly onAddProvider: () => void }) {
  const settings = useSettings();
  const providers = useProviders();
  const { provider, model } = chatModel({ kind: "chat" }, settings, providers);
  const local = providers.find((each) => each.origin === "local");
  const ready = provider !== undefined && isUsable(provider);
  return (
    <div className={names(styles.who, !ready && styles.nobody)}>
      {ready ? (
        <p>
          <strong>{model || provider.name}</strong> will answer, by {provider.name}.
          {provider.message ? ` ${provider.message}` : ""}
        </p>
      ) : (
        <p>
          Nobody can answer yet: add a provider and its key.
          {local?.message ? ` ${local.message}` : ""}
        </p>
      )}
      <Button size="small" look={ready ? "quiet" : "primary"} onClick={onAddProvider}>
        {ready ? "Add another provider" : "Add a provider"}
      </Button>
    </div>
  );
}
