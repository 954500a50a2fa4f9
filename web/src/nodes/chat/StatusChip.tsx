import { TEST_IDS } from "../../testIds";
import type { NodeId } from "../../wire/generated";
import styles from "./StatusChip.module.css";
import { useChatStatus } from "./useChatStatus";

/** A dot and words for what a chat is doing; never colour alone. */
export function StatusChip({ node }: { readonly node: NodeId }) {
  const { tone, words } = useChatStatus(node);
  return (
    <span className={styles.status} data-tone={tone} data-testid={TEST_IDS.status}>
      <span className={styles.dot} aria-hidden="true" />
      {words}
    </span>
  );
}
