import { GripVertical, Pencil, SendHorizontal, X } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef, useState } from "react";
import { useQueued, useRun } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button, IconButton } from "../../ui/Button";
import { names } from "../../ui/names";
import type { Attachment, MessageId, NodeId, QueuedRecord } from "../../wire/generated";
import styles from "./QueueList.module.css";
import { movedTo } from "./queueOrder";

/** What was said while a reply runs: each is sent when the turns before it are over (W12). */
export function QueueList({ node }: { readonly node: NodeId }) {
  const { ask } = useTalkfield();
  const queued = useQueued(node);
  const run = useRun(node);
  const order = useOrder(queued);
  if (queued.length === 0) return null;
  return (
    <div className={styles.queue}>
      {!run && (
        <div className={styles.idle}>
          <span>Not sent yet</span>
          <Button size="small" data-testid={TEST_IDS.queuedSend} onClick={() => void ask({ do: "sendQueued", node })}>
            <SendHorizontal size={13} />
            Send now
          </Button>
        </div>
      )}
      <ol ref={order.list} className={styles.list} aria-label="Waiting to be sent">
        {order.shown.map((each, place) => (
          <li
            key={each.id}
            className={names(styles.item, order.dragged === each.id && styles.dragged)}
            data-queued={each.id}
            data-testid={TEST_IDS.queued}
          >
            {queued.length > 1 && (
              <button
                type="button"
                className={styles.grip}
                aria-label={`Place ${place + 1} of ${queued.length}: move with the arrow keys`}
                title="Drag, or move with the arrow keys"
                data-testid={TEST_IDS.queuedGrip}
                onKeyDown={(event) => order.onKeyDown(event, each.id, place)}
                onPointerDown={(event) => order.onPointerDown(event, each.id)}
                onPointerMove={order.onPointerMove}
                onPointerUp={order.onPointerUp}
                onPointerCancel={order.onPointerCancel}
              >
                <GripVertical size={13} />
              </button>
            )}
            <QueuedText queued={each} />
            <RemoveButton queued={each} />
          </li>
        ))}
      </ol>
      <p role="status" className="visually-hidden">
        {order.said}
      </p>
    </div>
  );
}

interface Drag {
  readonly id: MessageId;
  readonly ids: readonly MessageId[];
}

/** The order of the queue, and its change by drag or arrow keys: what is dragged is shown where it would come to stand. */
function useOrder(queued: readonly QueuedRecord[]) {
  const { ask, mirror } = useTalkfield();
  const list = useRef<HTMLOListElement>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  const [said, setSaid] = useState("");
  const refocus = useRef<MessageId | null>(null);
  const byId = new Map(queued.map((each) => [each.id, each]));
  const shown = drag ? drag.ids.flatMap((id) => byId.get(id) ?? []) : queued;

  // An element that is moved in the page loses the focus.
  useLayoutEffect(() => {
    if (queued.length === 0 || refocus.current === null) return;
    const item = list.current?.querySelector(`[data-queued="${refocus.current}"]`);
    item?.querySelector("button")?.focus();
    refocus.current = null;
  }, [queued]);

  const place = async (id: MessageId, to: number) => {
    const ack = await ask({ do: "editQueued", queued: id, place: to });
    if (ack) await mirror.whenApplied(ack.seq);
  };
  const onKeyDown = (event: KeyboardEvent, id: MessageId, at: number) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const to = at + step;
    if (to < 0 || to >= queued.length) return;
    refocus.current = id;
    setSaid(`Moved to place ${to + 1} of ${queued.length}`);
    void place(id, to);
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>, id: MessageId) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrag({ id, ids: queued.map((each) => each.id) });
  };
  const onPointerMove = (event: PointerEvent) => {
    if (!drag) return;
    const rows = [...(list.current?.children ?? [])].map((row) => row.getBoundingClientRect());
    const over = rows.findIndex((row) => event.clientY >= row.top && event.clientY < row.bottom);
    const ids = movedTo(drag.ids, drag.id, over);
    if (ids !== drag.ids) setDrag({ id: drag.id, ids });
  };
  const onPointerUp = async () => {
    if (!drag) return;
    const to = drag.ids.indexOf(drag.id);
    if (queued[to]?.id !== drag.id) await place(drag.id, to);
    setDrag(null);
  };
  return {
    list,
    shown,
    said,
    dragged: drag?.id ?? null,
    onKeyDown,
    onPointerDown,
    onPointerMove,
    onPointerUp: () => void onPointerUp(),
    onPointerCancel: () => setDrag(null),
  };
}

function RemoveButton({ queued }: { readonly queued: QueuedRecord }) {
  const { takeBack } = useTalkfield();
  return (
    <IconButton
      small
      label="Back to the composer"
      data-testid={TEST_IDS.queuedRemove}
      onClick={() => void takeBack({ do: "removeQueued", queued: queued.id })}
    >
      <X size={13} />
    </IconButton>
  );
}

function fileWords(files: readonly Attachment[]): string {
  return files.map((file) => file.name).join(", ");
}

function QueuedText({ queued }: { readonly queued: QueuedRecord }) {
  const { ask } = useTalkfield();
  const [edited, setEdited] = useState<string | null>(null);
  const end = async (save: boolean) => {
    const text = edited;
    setEdited(null);
    if (save && text !== null && text.trim() !== "" && text !== queued.text) {
      const ack = await ask({ do: "editQueued", queued: queued.id, text });
      if (!ack) setEdited(text);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") void end(false);
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void end(true);
    }
  };
  if (edited !== null) {
    return (
      <textarea
        // biome-ignore lint/a11y/noAutofocus: it takes the place of the text that was just chosen.
        autoFocus
        rows={Math.min(5, edited.split("\n").length)}
        aria-label="Waiting message"
        className={names(styles.field, "nowheel nokey")}
        value={edited}
        onChange={(event) => setEdited(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => void end(true)}
      />
    );
  }
  return (
    <>
      <span className={styles.text} title={queued.text}>
        {queued.text}
        {queued.attachments && <span className={styles.files}>{fileWords(queued.attachments)}</span>}
      </span>
      <IconButton small label="Edit" data-testid={TEST_IDS.queuedEdit} onClick={() => setEdited(queued.text)}>
        <Pencil size={12} />
      </IconButton>
    </>
  );
}
