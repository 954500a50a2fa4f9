import { Maximize, MessageSquarePlus, Pencil, Redo2, StickyNote, Undo2, X } from "lucide-react";
import { useHistory, useNodes } from "../mirror/hooks";
import { useTalkfield } from "../Talkfield";
import { MenuItem, MenuSeparator, PointMenu } from "../ui/Menu";
import type { NodeId } from "../wire/generated";
import type { Point } from "./freePlace";
import { useActions } from "./useActions";

export interface MenuPlace {
  /** In page pixels. */
  readonly point: Point;
  /** The same on the canvas. */
  readonly at: Point;
  readonly node: NodeId | null;
}

/** What a right click on the canvas or on a node's header offers. */
export function CanvasMenu({ place, onClose }: { readonly place: MenuPlace | null; readonly onClose: () => void }) {
  const { ask, spotlight } = useTalkfield();
  const actions = useActions();
  const history = useHistory();
  const nodes = useNodes();
  const node = place?.node ? nodes.find((each) => each.id === place.node) : undefined;
  return (
    <PointMenu point={place?.point ?? null} onClose={onClose} label="Canvas menu">
      {node ? (
        <>
          <MenuItem icon={<Pencil size={15} />} onSelect={() => spotlight.show(node.id)}>
            {node.data.kind === "chat" ? "Write in this chat" : "Edit this note"}
          </MenuItem>
          <MenuSeparator />
          <MenuItem
            danger
            icon={<X size={15} />}
            keys="Del"
            onSelect={() => void ask({ do: "removeNodes", nodes: [node.id] })}
          >
            {node.data.kind === "chat" ? "Close chat" : "Close note"}
          </MenuItem>
        </>
      ) : (
        <>
          <MenuItem
            icon={<MessageSquarePlus size={15} />}
            keys="N"
            onSelect={() => void actions.add("chat", place?.at)}
          >
            New chat here
          </MenuItem>
          <MenuItem icon={<StickyNote size={15} />} keys="S" onSelect={() => void actions.add("sticky", place?.at)}>
            New note here
          </MenuItem>
          <MenuSeparator />
          <MenuItem
            icon={<Undo2 size={15} />}
            keys="Ctrl Z"
            disabled={!history?.undo}
            onSelect={() => actions.travel("undo")}
          >
            {history?.undo ? `Undo ${history.undo}` : "Undo"}
          </MenuItem>
          <MenuItem
            icon={<Redo2 size={15} />}
            keys="Ctrl Y"
            disabled={!history?.redo}
            onSelect={() => actions.travel("redo")}
          >
            {history?.redo ? `Redo ${history.redo}` : "Redo"}
          </MenuItem>
          <MenuItem icon={<Maximize size={15} />} keys="F" disabled={nodes.length === 0} onSelect={actions.fit}>
            Show everything
          </MenuItem>
        </>
      )}
    </PointMenu>
  );
}
