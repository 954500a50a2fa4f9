import { ArrowUp, LoaderCircle } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useLoaded, useNodes, useProviders, useSettings } from "../mirror/hooks";
import { chatModel, isUsable } from "../nodes/chat/chatModel";
import { useOpenSettings } from "../panels/openSettings";
import { useTalkfield } from "../Talkfield";
import { TEST_IDS } from "../testIds";
import { Button } from "../ui/Button";
import { names } from "../ui/names";
import type { NodeId } from "../wire/generated";
import styles from "./EmptyCanvas.module.css";
import { keyPlaceOf } from "./shortcuts";
import { useActions } from "./useActions";
import { useCanvasDrop } from "./useCanvasDrop";

/** What an empty canvas shows: one line about itself, and a place to begin; typing anywhere lands there. */
export function EmptyCanvas() {
  const loaded = useLoaded();
  const empty = useNodes().length === 0;
  const [starting, setStarting] = useState(false);
  if (!loaded || (!empty && !starting)) return null;
  return <FirstChat handingOver={!empty} onStarting={setStarting} />;
}

interface FirstChatProps {
  /** The chat is there, but its composer does not have the cursor yet: what is typed still lands here. */
  readonly handingOver: boolean;
  readonly onStarting: (starting: boolean) => void;
}

function FirstChat({ handingOver, onStarting }: FirstChatProps) {
  const { drafts } = useTalkfield();
  const actions = useActions();
  const drop = useCanvasDrop();
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const typed = useRef("");
  const startedChat = useRef<NodeId | null>(null);

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
    if (busy || said.trim() === "") return;
    setBusy(true);
    onStarting(true);
    write("");
    const node = await actions.add("chat");
    setBusy(false);
    if (!node) {
      onStarting(false);
      write(said + typed.current);
      return;
    }
    // The chat's composer was there a moment ago: what somebody wrote into it meanwhile stays.
    const meanwhile = drafts.state(node).text;
    drafts.edit(node, said);
    void drafts.submit(node);
    if (meanwhile !== "") drafts.edit(node, meanwhile);
    startedChat.current = node;
    if (document.activeElement !== field.current) handOver();
  };
  /** The chat's own composer has the cursor now, or the person went elsewhere. */
  const handOver = () => {
    const node = startedChat.current;
    if (!node) return;
    startedChat.current = null;
    if (typed.current !== "") drafts.giveBack(node, typed.current);
    onStarting(false);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    void start();
  };

  return (
    <section className={names(styles.place, handingOver && styles.leaving)} aria-label="Start" {...drop}>
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
            onBlur={handOver}
          />
          <button
            type="button"
            className={styles.send}
            aria-label="Start the chat"
            disabled={busy || text.trim() === ""}
            onClick={() => void start()}
          >
            {busy ? <LoaderCircle size={16} className={styles.spin} /> : <ArrowUp size={17} strokeWidth={2.4} />}
          </button>
        </div>
        <WhoAnswers />
      </div>
    </section>
  );
}

/** Who would answer the first message, or what it takes for someone to. */
function WhoAnswers() {
  const openSettings = useOpenSettings();
  const settings = useSettings();
  const providers = useProviders();
  const { provider, model } = chatModel({ kind: "chat" }, settings, providers);
  const local = providers.find((each) => each.origin === "local");
  const add = (words: string, look: "quiet" | "primary") => (
    <Button size="small" look={look} onClick={() => openSettings("providers-add")}>
      {words}
    </Button>
  );
  if (!provider || !isUsable(provider)) {
    return (
      <div className={names(styles.who, styles.nobody)}>
        <p>
          Nobody can answer yet: add a provider and its key.
          {local?.message ? ` ${local.message}` : ""}
        </p>
        {add("Add a provider", "primary")}
      </div>
    );
  }
  if (provider.origin === "local") {
    return (
      <div className={styles.who}>
        <p>
          <strong>{model}</strong> will answer: a small model on this machine, free, quick and often wrong.
          {provider.message ? ` ${provider.message}` : ""}
        </p>
        {add("Add a better one", "primary")}
      </div>
    );
  }
  return (
    <div className={styles.who}>
      <p>
        <strong>{model || provider.name}</strong> will answer, by {provider.name}.
        {provider.message ? ` ${provider.message}` : ""}
      </p>
      {add("Add another provider", "quiet")}
    </div>
  );
}
