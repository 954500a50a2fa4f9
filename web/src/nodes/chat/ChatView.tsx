import { X } from "lucide-react";
import { memo } from "react";
import { BudgetButton } from "../../budgets/BudgetButton";
import { DRAG_HANDLE } from "../../canvas/toFlow";
import { StaleLinks } from "../../links/StaleLinks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { IconButton } from "../../ui/Button";
import { names } from "../../ui/names";
import type { NodeId } from "../../wire/generated";
import { NodeTitle } from "../NodeTitle";
import styles from "./ChatView.module.css";
import { Composer } from "./Composer";
import { HelpBadge } from "./HelpBadge";
import { MessageList } from "./MessageList";
import { ModelPicker } from "./ModelPicker";
import { StatusChip } from "./StatusChip";
import { ToolPicker } from "./ToolPicker";
import { UsageChips } from "./UsageChips";
import { useFileDrop } from "./useFileDrop";
import { ViewButtons } from "./ViewButtons";

interface ChatViewProps {
  readonly node: NodeId;
  /** Only the header is shown. */
  readonly folded?: boolean;
}

/** A chat close up (U1). Knows nothing of React Flow; keys, wheel and drag in its body stay in it (U4). */
export const ChatView = memo(function ChatView({ node, folded = false }: ChatViewProps) {
  const { ask } = useTalkfield();
  const drop = useFileDrop(node);
  return (
    <div className={styles.chat} {...drop.handlers}>
      <header className={names(styles.header, DRAG_HANDLE)}>
        <div className={styles.row}>
          <NodeTitle node={node} fallback="New chat" />
          <HelpBadge />
          <ViewButtons node={node} folded={folded} />
          <IconButton
            small
            label="Close chat"
            title="Close chat (undo brings it back)"
            className="nodrag"
            data-testid={TEST_IDS.closeNode}
            onClick={() => void ask({ do: "removeNodes", nodes: [node] })}
          >
            <X size={15} />
          </IconButton>
        </div>
        <div className={styles.row}>
          <ModelPicker node={node} />
          <ToolPicker node={node} />
          <span className={styles.spacer} />
          <UsageChips node={node} />
          <BudgetButton node={node} whose="chat" />
          <StatusChip node={node} />
        </div>
      </header>
      {!folded && (
        <div className={names(styles.body, "nokey nowheel")}>
          <MessageList node={node} />
          <StaleLinks node={node} />
          <Composer node={node} />
          {drop.over && (
            <p className={styles.drop} data-testid={TEST_IDS.fileDrop}>
              Drop to attach
            </p>
          )}
        </div>
      )}
    </div>
  );
});
