import {
  BoxSelect,
  FileText,
  LayoutGrid,
  Maximize,
  MessageSquarePlus,
  Network,
  Redo2,
  Split,
  StickyNote,
  Undo2,
} from "lucide-react";
import { useHistory, useNodes } from "../mirror/hooks";
import { useOpenWindow } from "../panels/pageWindows";
import { MenuItem, MenuSeparator, PointMenu } from "../ui/Menu";
import type { NodeId } from "../wire/generated";
import type { Point } from "./freePlace";
import { SelectionMenu } from "./SelectionMenu";
import { useActions } from "./useActions";

export interface MenuPlace {
  /** In page pixels. */
  readonly point: Point;
  /** The same on the canvas. */
  readonly at: Point;
  /** Those that were selected when the menu opened. */
  readonly selected: readonly NodeId[];
}

/** What a right click on the canvas or on a node's header offers. */
export function CanvasMenu({ place, onClose }: { readonly place: MenuPlace | null; readonly onClose: () => void }) {
  const actions = useActions();
  const openWindow = useOpenWindow();
  const history = useHistory();
  const nodes = useNodes();
  const chosen = nodes.filter((node) => place?.selected.includes(node.id));
  return (
    <PointMenu point={place?.point ?? null} onClose={onClose} label="Canvas menu">
      {chosen.length > 0 ? (
        <SelectionMenu nodes={chosen} />
      ) : (
        <>
          <MenuItem
            icon={<MessageSquarePlus size={15} />}
            keys="N"
            onSelect={() => void actions.add("chat", place?.at)}
          >
            New chat here
          </MenuItem>
          <MenuItem icon={<Split size={15} />} onSelect={() => openWindow("fan-out", [], place?.at)}>
            Ask several models here…
          </MenuItem>
          <MenuItem icon={<StickyNote size={15} />} keys="S" onSelect={() => void actions.add("sticky", place?.at)}>
            New note here
          </MenuItem>
          <MenuItem icon={<FileText size={15} />} onSelect={() => void actions.add("file", place?.at)}>
            File of the project here
          </MenuItem>
          <MenuItem icon={<BoxSelect size={15} />} keys="G" onSelect={() => void actions.add("group", place?.at)}>
            New group here
          </MenuItem>
          <MenuSeparator />
          <MenuItem
            icon={<LayoutGrid size={15} />}
            keys="T"
            disabled={nodes.length < 2}
            onSelect={() => void actions.tidy("grid")}
          >
            Tidy in a grid
          </MenuItem>
          <MenuItem
            icon={<Network size={15} />}
            keys="Shift T"
            disabled={nodes.length < 2}
            onSelect={() => void actions.tidy("lineage")}
          >
            Tidy by lineage
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
