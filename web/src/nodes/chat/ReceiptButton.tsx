import { ReceiptText } from "lucide-react";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { IconButton } from "../../ui/Button";
import { Floating } from "../../ui/Floating";
import { fullCount } from "../../ui/numbers";
import type { MessageRecord, NodeId, Receipt } from "../../wire/generated";
import { parameterWords } from "./parameterWords";
import styles from "./ReceiptButton.module.css";
import { type ReceiptRow, receiptRows } from "./receiptRows";

/** "What was sent": for each provider call of a reply, its parts by source, and what was left out and why. */
export function ReceiptButton({ calls }: { readonly calls: readonly MessageRecord[] }) {
  const told = calls.filter((call) => call.receipt);
  if (told.length === 0) return null;
  return (
    <Floating
      label="What was sent"
      align="end"
      className={styles.panel}
      trigger={
        <IconButton small label="What was sent" data-testid={TEST_IDS.receiptOpen}>
          <ReceiptText size={13} />
        </IconButton>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <div className={styles.scroll} tabIndex={0} data-testid={TEST_IDS.receipt}>
        <h3 className={styles.title}>What was sent</h3>
        {told.map((call, index) => (
          <section key={call.id} className={styles.call} aria-label={`Provider call ${index + 1}`}>
            {told.length > 1 && (
              <h4 className={styles.number}>
                Provider call {index + 1} of {told.length}
              </h4>
            )}
            {call.receipt && <OneCall receipt={call.receipt} call={call} />}
          </section>
        ))}
      </div>
    </Floating>
  );
}

function OneCall({ receipt, call }: { readonly receipt: Receipt; readonly call: MessageRecord }) {
  const rows = receiptRows(receipt);
  const estimated = rows.reduce((sum, row) => sum + (row.tokens ?? 0), 0);
  const chosen = parameterWords(receipt);
  const counted = call.usage && !call.usage.estimated ? call.usage : null;
  return (
    <>
      <table className={styles.table}>
        <thead className="visually-hidden">
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Tokens, about</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.source}>
              <td>
                {row.words}
                <Names row={row} />
              </td>
              <td className={styles.tokens}>{row.tokens === null ? "not known" : `~${fullCount(row.tokens)}`}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{counted ? "In all, by the provider’s count" : "In all"}</th>
            <td className={styles.tokens}>{counted ? fullCount(counted.inputTokens) : `~${fullCount(estimated)}`}</td>
          </tr>
        </tfoot>
      </table>
      {counted?.cacheReadTokens ? (
        <p className={styles.more}>{fullCount(counted.cacheReadTokens)} of them from the provider’s cache</p>
      ) : null}
      {chosen && <p className={styles.more}>With {chosen}</p>}
      {(receipt.leftOut ?? []).length > 0 && (
        <>
          <h4 className={styles.number}>Left out</h4>
          <ul className={styles.left}>
            {(receipt.leftOut ?? []).map((left) => (
              <li key={left.what}>
                {(left.count ?? 1) > 1 ? `${left.count} × ` : ""}
                {left.what}: {left.why}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Names({ row }: { readonly row: ReceiptRow }) {
  const { mirror } = useTalkfield();
  if (row.names.length === 0) return null;
  const names =
    row.source === "links"
      ? row.names.map((node) => mirror.node(node as NodeId)?.title || "a node without a title")
      : row.names;
  return <span className={styles.names}>{names.join(", ")}</span>;
}
