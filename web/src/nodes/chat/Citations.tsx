import { TEST_IDS } from "../../testIds";
import type { MessageRecord } from "../../wire/generated";
import styles from "./Citations.module.css";
import { type Citation, citationsIn } from "./citations";
import { useOrigin } from "./useOrigin";

interface CitationsProps {
  readonly message: MessageRecord;
  readonly earlier: readonly MessageRecord[];
}

/** Where the numbers in a reply to a merge come from: each shows its part, and leads to where it was said (L4). */
export function Citations({ message, earlier }: CitationsProps) {
  const citations = citationsIn(message.content, earlier);
  if (citations.length === 0) return null;
  return (
    <ul className={styles.list} aria-label="Cited">
      {citations.map((citation) => (
        <li key={citation.number}>
          <Origin citation={citation} />
        </li>
      ))}
    </ul>
  );
}

function Origin({ citation: { number, given } }: { readonly citation: Citation }) {
  const { name, isThere, show } = useOrigin(given);
  return (
    <button
      type="button"
      className={styles.origin}
      title={given.content.slice(0, 600)}
      disabled={!isThere}
      data-testid={TEST_IDS.citation}
      onClick={show}
    >
      [{number}] {name}
    </button>
  );
}
