import { Check } from "lucide-react";
import { useDeferredValue, useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { shortModel } from "../../nodes/chat/chatModel";
import { MessageContent } from "../../nodes/chat/MessageContent";
import { replyFigures } from "../../nodes/chat/replyFigures";
import { StatusChip } from "../../nodes/chat/StatusChip";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { names } from "../../ui/names";
import { duration, fullCount, shortCount } from "../../ui/numbers";
import type { NodeId } from "../../wire/generated";
import type { PageWindowProps } from "../pageWindows";
import styles from "./CompareDialog.module.css";
import { aligned, differences, paragraphsOf, type Row } from "./paragraphs";
import { type ChatReply, useReplies } from "./useReplies";

/** Replies of several chats next to each other while they come, what says the same in one line (L4). */
export function CompareDialog({ nodes, onClose }: PageWindowProps) {
  const { ask, spotlight } = useTalkfield();
  const replies = useReplies(nodes);
  const [chosenBase, setBase] = useState<NodeId | null>(null);
  const [marked, setMarked] = useState(true);
  const [rest, setRest] = useState<"fold" | "close">("fold");
  const base = Math.max(
    0,
    replies.findIndex((reply) => reply.node === chosenBase),
  );
  const texts = useDeferredValue(replies.map((reply) => reply.text).join("\u0000"));
  const rows = useMemo(() => aligned(texts.split("\u0000").map(paragraphsOf), base), [texts, base]);

  const pick = async (node: NodeId) => {
    const others = replies.map((reply) => reply.node).filter((each) => each !== node);
    const command =
      rest === "close"
        ? ({ do: "removeNodes", nodes: others } as const)
        : ({ do: "foldChats", nodes: others, folded: true } as const);
    if (!(await ask(command))) return;
    flushSync(onClose);
    spotlight.show(node);
  };

  return (
    <Dialog title="Compare replies" onClose={onClose} testId={TEST_IDS.compare} wide>
      <div className={styles.panel}>
        <div className={styles.bar}>
          <label className={styles.option}>
            <input type="checkbox" checked={marked} onChange={(event) => setMarked(event.target.checked)} />
            Mark differences
          </label>
          <span className={styles.hint}>
            {marked ? `from ${replies[base]?.title ?? ""}, as plain text` : "as they are written"}
          </span>
          <span className={styles.spacer} />
          <label className={styles.option}>
            When one is picked, the others are
            <select value={rest} onChange={(event) => setRest(event.target.value as "fold" | "close")}>
              <option value="fold">folded</option>
              <option value="close">closed</option>
            </select>
          </label>
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
        <section className={styles.scroll} aria-label="Replies" tabIndex={0}>
          <table className={styles.table}>
            <thead>
              <tr>
                {replies.map((reply, index) => (
                  <th key={reply.node} scope="col" data-testid={TEST_IDS.compareColumn}>
                    <Head
                      reply={reply}
                      isBase={marked && index === base}
                      onBase={marked ? () => setBase(reply.node) : null}
                      onPick={() => void pick(reply.node)}
                    />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a paragraph is known by its place alone.
                <tr key={index}>
                  {replies.map((reply, column) => (
                    <Paragraph
                      key={reply.node}
                      row={row}
                      column={column}
                      base={base}
                      marked={marked}
                      streaming={reply.running}
                    />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
    </Dialog>
  );
}

interface HeadProps {
  readonly reply: ChatReply;
  readonly isBase: boolean;
  readonly onBase: (() => void) | null;
  readonly onPick: () => void;
}

function Head({ reply, isBase, onBase, onPick }: HeadProps) {
  const last = reply.messages.at(-1);
  const { tokens, cost, costDetail, timing } = replyFigures(reply.messages);
  return (
    <div className={styles.head}>
      <span className={styles.title}>{reply.title}</span>
      <span className={styles.figures}>
        {last?.model && <span title={last.model}>{shortModel(last.model)}</span>}
        {timing && <span title={timing.words}>{duration(timing.totalMs)}</span>}
        {tokens && (
          <span title={`${fullCount(tokens.input)} tokens in, ${fullCount(tokens.output)} out`}>
            {tokens.estimated ? "~" : ""}
            {shortCount(tokens.output)} tokens
          </span>
        )}
        {cost && <span title={costDetail}>{cost}</span>}
        <StatusChip node={reply.node} />
      </span>
      <span className={styles.buttons}>
        <Button size="small" data-testid={TEST_IDS.comparePick} onClick={onPick}>
          <Check size={13} />
          Go on with this
        </Button>
        {isBase && <span className={styles.hint}>Compared with</span>}
        {!isBase && onBase && (
          <Button size="small" look="quiet" onClick={onBase}>
            Compare with this
          </Button>
        )}
      </span>
    </div>
  );
}

interface ParagraphProps {
  readonly row: Row;
  readonly column: number;
  readonly base: number;
  readonly marked: boolean;
  readonly streaming: boolean;
}

function Paragraph({ row, column, base, marked, streaming }: ParagraphProps) {
  const text = row[column] ?? null;
  const other = row[base] ?? null;
  if (text === null) return <td className={styles.missing} />;
  if (!marked) {
    return (
      <td>
        <MessageContent text={text} streaming={streaming} />
      </td>
    );
  }
  const isOwn = column !== base && other === null;
  const pieces = column === base || other === null ? [{ text, differs: false }] : differences(text, other);
  let start = 0;
  return (
    <td className={names(styles.plain, isOwn && styles.own, /^ {0,3}[`~]{3}/.test(text) && styles.code)}>
      {isOwn && <span className="visually-hidden">Only here: </span>}
      {pieces.map((piece) => {
        const key = start;
        start += piece.text.length;
        return piece.differs ? <mark key={key}>{piece.text}</mark> : <span key={key}>{piece.text}</span>;
      })}
    </td>
  );
}
