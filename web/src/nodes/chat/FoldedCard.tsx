import { useNode } from "../../mirror/hooks";
import { TEST_IDS } from "../../testIds";
import type { NodeId } from "../../wire/generated";
import styles from "./FoldedCard.module.css";
import { useChatStatus } from "./useChatStatus";

/** A folded chat seen from afar: there is room for its title alone, and for the colour of what it does. */
export function FoldedCard({ node }: { readonly node: NodeId }) {
  const title = useNode(node)?.title || "New chat";
  const status = useChatStatus(node);
  return (
    <p className={styles.card} data-tone={status.tone} data-testid={TEST_IDS.foldedCard}>
      {title}
    </p>
  );
}
