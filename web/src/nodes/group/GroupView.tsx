import { Palette, X } from "lucide-react";
import { BudgetButton } from "../../budgets/BudgetButton";
import { DRAG_HANDLE } from "../../canvas/toFlow";
import type { Distance } from "../../canvas/useDistance";
import { useNode } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { IconButton } from "../../ui/Button";
import { Menu, MenuItem } from "../../ui/Menu";
import { names } from "../../ui/names";
import type { NodeId } from "../../wire/generated";
import { NODE_COLORS } from "../colors";
import { NodeTitle } from "../NodeTitle";
import styles from "./GroupView.module.css";

interface GroupViewProps {
  readonly node: NodeId;
  readonly distance: Distance;
}

/** Its title is its handle; the rest of the area lets the pointer through to the canvas. */
export function GroupView({ node, distance }: GroupViewProps) {
  const { ask } = useTalkfield();
  const record = useNode(node);
  if (record?.data.kind !== "group") return null;
  return (
    <div className={styles.group} data-color={record.data.color ?? "grey"} data-distance={distance}>
      <header className={names(styles.header, DRAG_HANDLE)}>
        <NodeTitle node={node} fallback="Group" />
        {distance === 0 && (
          <>
            <BudgetButton node={node} whose="group" />
            <Menu
              trigger={
                <IconButton small label="Colour" className="nodrag">
                  <Palette size={13} />
                </IconButton>
              }
            >
              {NODE_COLORS.map(({ color, words }) => (
                <MenuItem
                  key={color}
                  icon={<span className={styles.swatch} data-color={color} />}
                  onSelect={() => void ask({ do: "editGroup", node, color })}
                >
                  {words}
                </MenuItem>
              ))}
            </Menu>
            <IconButton
              small
              label="Remove group"
              title="Remove group; what stands on it stays"
              className="nodrag"
              data-testid={TEST_IDS.closeNode}
              onClick={() => void ask({ do: "removeNodes", nodes: [node] })}
            >
              <X size={14} />
            </IconButton>
          </>
        )}
      </header>
    </div>
  );
}
