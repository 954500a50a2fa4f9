import {
  BoxSelect,
  ChevronsDownUp,
  Columns3,
  Copy,
  FileDown,
  LayoutGrid,
  Maximize2,
  Merge,
  Network,
  Pencil,
  Send,
  Split,
  X,
} from "lucide-react";
import { EXPORT_FORMATS, exportNode } from "../panels/download";
import { useOpenWindow } from "../panels/pageWindows";
import { useTalkfield } from "../Talkfield";
import { MenuItem, MenuSeparator } from "../ui/Menu";
import type { NodeRecord } from "../wire/generated";
import { isFolded } from "./shownPlace";
import { useActions } from "./useActions";

const WRITE = {
  chat: "Write in this chat",
  sticky: "Edit this note",
  group: "Go to this group",
  file: "Go to this file",
} as const;
const CLOSE = { chat: "Close chat", sticky: "Close note", group: "Remove group", file: "Close file" } as const;

/** What can be done with the nodes that are selected. */
export function SelectionMenu({ nodes }: { readonly nodes: readonly NodeRecord[] }) {
  const { spotlight } = useTalkfield();
  const actions = useActions();
  const openWindow = useOpenWindow();
  const chats = nodes.filter((node) => node.data.kind === "chat");
  const speakers = nodes.filter((node) => node.data.kind !== "group").map((node) => node.id);
  const ids = chats.map((node) => node.id);
  const [only] = nodes.length === 1 ? nodes : [];
  return (
    <>
      {only && (
        <MenuItem icon={<Pencil size={15} />} keys="Enter" onSelect={() => spotlight.show(only.id)}>
          {WRITE[only.data.kind]}
        </MenuItem>
      )}
      {only?.data.kind === "chat" && (
        <MenuItem icon={<Maximize2 size={15} />} keys="O" onSelect={actions.fullScreenSelected}>
          Full screen
        </MenuItem>
      )}
      {chats.length > 0 && (
        <MenuItem icon={<ChevronsDownUp size={15} />} keys="H" onSelect={actions.foldSelected}>
          {chats.every(isFolded) ? "Unfold" : "Fold to the header"}
        </MenuItem>
      )}
      {only?.data.kind === "chat" && (
        <MenuItem icon={<Split size={15} />} onSelect={() => openWindow("fan-out", [only.id])}>
          Ask several models…
        </MenuItem>
      )}
      {chats.length > 1 && (
        <>
          <MenuItem icon={<Send size={15} />} onSelect={() => openWindow("send-to-all", ids)}>
            Send to all {chats.length}…
          </MenuItem>
          <MenuItem icon={<Columns3 size={15} />} onSelect={() => openWindow("compare", ids)}>
            Compare replies
          </MenuItem>
        </>
      )}
      {speakers.length > 1 && (
        <MenuItem icon={<Merge size={15} />} onSelect={() => openWindow("merge", speakers)}>
          Merge {speakers.length}…
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem icon={<Copy size={15} />} keys="Ctrl D" onSelect={() => void actions.duplicateSelected()}>
        Duplicate
      </MenuItem>
      <MenuItem icon={<BoxSelect size={15} />} keys="G" onSelect={() => void actions.groupSelected()}>
        Group
      </MenuItem>
      {nodes.length > 1 && (
        <>
          <MenuItem icon={<LayoutGrid size={15} />} keys="T" onSelect={() => void actions.tidy("grid")}>
            Tidy in a grid
          </MenuItem>
          <MenuItem icon={<Network size={15} />} keys="Shift T" onSelect={() => void actions.tidy("lineage")}>
            Tidy by lineage
          </MenuItem>
        </>
      )}
      {only && only.data.kind !== "group" && (
        <>
          <MenuSeparator />
          {EXPORT_FORMATS.map(({ format, words }) => (
            <MenuItem key={format} icon={<FileDown size={15} />} onSelect={() => exportNode(only.id, format)}>
              Export as {words}
            </MenuItem>
          ))}
        </>
      )}
      <MenuSeparator />
      <MenuItem danger icon={<X size={15} />} keys="Del" onSelect={actions.closeSelected}>
        {only ? CLOSE[only.data.kind] : `Close ${nodes.length} nodes`}
      </MenuItem>
    </>
  );
}
