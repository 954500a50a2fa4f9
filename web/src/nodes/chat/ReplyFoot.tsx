import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { duration, fullCount, shortCount } from "../../ui/numbers";
import { fullTime, shortTime } from "../../ui/time";
import type { MessageRecord } from "../../wire/generated";
import { Citations } from "./Citations";
import { shortModel } from "./chatModel";
import { MessageTools } from "./MessageTools";
import { ReceiptButton } from "./ReceiptButton";
import styles from "./ReplyFoot.module.css";
import { messagesOfReply, replyFigures } from "./replyFigures";

/** Under a reply that has ended: who answered, when, what it used and cost, and what can be done with it. */
export function ReplyFoot({ message }: { readonly message: MessageRecord }) {
  const { mirror } = useTalkfield();
  const ids = mirror.messageIds(message.nodeId);
  const earlier = ids.slice(0, Math.max(0, ids.indexOf(message.id))).flatMap((id) => mirror.message(id) ?? []);
  const calls = messagesOfReply(earlier, message);
  const { tokens, cost, costDetail, timing } = replyFigures(calls);
  return (
    <>
      <Citations message={message} earlier={earlier} />
      <div className={styles.foot}>
        {message.model && (
          <span className={styles.model} title={message.model}>
            {shortModel(message.model)}
          </span>
        )}
        {tokens && (
          <span
            title={`${fullCount(tokens.input)} tokens in, ${fullCount(tokens.output)} out${tokens.estimated ? ", estimated" : ""}`}
          >
            {tokens.estimated ? "~" : ""}
            {shortCount(tokens.output)} {tokens.output === 1 ? "token" : "tokens"}
          </span>
        )}
        {cost && <span title={costDetail}>{cost}</span>}
        {timing && (
          <span className={styles.time} title={timing.words} data-testid={TEST_IDS.timing}>
            {duration(timing.totalMs)}
          </span>
        )}
        <span className={styles.time} title={fullTime(message.ts)}>
          {shortTime(message.ts)}
        </span>
        <MessageTools message={message} className={styles.tools}>
          <ReceiptButton calls={calls} />
        </MessageTools>
      </div>
    </>
  );
}
