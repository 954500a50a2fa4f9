import {
  Archive,
  ArrowLeft,
  ArrowRight,
  BoxSelect,
  ChartColumn,
  ChevronsDownUp,
  Columns3,
  Copy,
  FileDown,
  FileText,
  FileUp,
  FolderOpen,
  Keyboard,
  LayoutGrid,
  Link2,
  Maximize,
  Maximize2,
  Merge,
  MessageSquare,
  MessageSquarePlus,
  Network,
  PanelsTopLeft,
  Redo2,
  Send,
  Settings,
  Split,
  StickyNote,
  SunMoon,
  TextSearch,
  Undo2,
} from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { isFolded } from "../canvas/shownPlace";
import { useActions } from "../canvas/useActions";
import { linkTargets } from "../links/linkWords";
import { useHistory, useNodes, useServer } from "../mirror/hooks";
import { useTalkfield } from "../Talkfield";
import type { SearchHit } from "../wire/generated";

import { EXPORT_FORMATS, exportProject } from "./download";
import { useOpenWindow } from "./pageWindows";
import { useProjectTabs } from "./tabs/useProjectTabs";

export interface Entry {
  readonly id: string;
  readonly words: string;
  /** What it is about, in a second line. */
  readonly about?: string;
  readonly icon: ReactNode;
  readonly keys?: string;
  readonly run: () => void;
}

export interface PaletteWindows {
  readonly onSettings: () => void;
  readonly onShelf: () => void;
  readonly onKeys: () => void;
}

const ICON = { size: 15 } as const;
const KIND_ICONS = {
  chat: <MessageSquare {...ICON} />,
  sticky: <StickyNote {...ICON} />,
  group: <BoxSelect {...ICON} />,
  file: <FileText {...ICON} />,
} as const;
const KIND_WORDS = { chat: "New chat", sticky: "Note", group: "Group", file: "File" } as const;

/** Everything that can be done now, and everything that stands on the canvas. */
export function usePaletteEntries({ onSettings, onShelf, onKeys }: PaletteWindows): readonly Entry[] {
  const { ask, mirror, spotlight, selection } = useTalkfield();
  const actions = useActions();
  const history = useHistory();
  const nodes = useNodes();
  const openWindow = useOpenWindow();
  const { project } = useServer();
  const { tabs, others, show } = useProjectTabs();
  return useMemo(() => {
    const entry = (id: string, words: string, icon: ReactNode, run: () => void, keys?: string): Entry => ({
      id,
      words,
      icon,
      run,
      ...(keys ? { keys } : {}),
    });
    const theme = (value: "system" | "light" | "dark", words: string): Entry =>
      entry(`theme-${value}`, `Theme: ${words}`, <SunMoon {...ICON} />, () => {
        void ask({ do: "changeSettings", theme: value });
      });
    const selected = nodes.filter((node) => selection.current().has(node.id));
    const commands: Entry[] = [];
    const { undo, redo } = history ?? {};
    if (undo) commands.push(entry("undo", `Undo ${undo}`, <Undo2 {...ICON} />, () => actions.travel("undo"), "Ctrl Z"));
    if (redo) commands.push(entry("redo", `Redo ${redo}`, <Redo2 {...ICON} />, () => actions.travel("redo"), "Ctrl Y"));
    commands.push(
      entry("chat", "New chat", <MessageSquarePlus {...ICON} />, () => void actions.add("chat"), "N"),
      entry("fan-out", "Ask several models at once", <Split {...ICON} />, () => openWindow("fan-out")),
      entry("note", "New note", <StickyNote {...ICON} />, () => void actions.add("sticky"), "S"),
      entry("file", "File of the project", <FileText {...ICON} />, () => void actions.add("file")),
      entry("fit", "Show everything", <Maximize {...ICON} />, actions.fit, "F"),
    );
    if (selected.length > 0) {
      commands.push(
        entry("copy", "Duplicate selection", <Copy {...ICON} />, () => void actions.duplicateSelected(), "Ctrl D"),
        entry("group", "Group selection", <BoxSelect {...ICON} />, () => void actions.groupSelected(), "G"),
      );
    }
    if (selected.some((node) => node.data.kind === "chat")) {
      commands.push(
        entry("full", "Full screen", <Maximize2 {...ICON} />, actions.fullScreenSelected, "O"),
        entry("fold", "Fold or unfold", <ChevronsDownUp {...ICON} />, actions.foldSelected, "H"),
      );
    }
    const chats = selected.filter((node) => node.data.kind === "chat").map((node) => node.id);
    if (chats.length > 1) {
      commands.push(
        entry("send-all", "Send to the selected chats", <Send {...ICON} />, () => openWindow("send-to-all", chats)),
        entry("compare", "Compare replies of the selected chats", <Columns3 {...ICON} />, () =>
          openWindow("compare", chats),
        ),
      );
    }
    const speakers = selected.filter((node) => node.data.kind !== "group").map((node) => node.id);
    if (speakers.length > 1) {
      commands.push(
        entry("merge", "Merge the last replies of the selection", <Merge {...ICON} />, () =>
          openWindow("merge", speakers),
        ),
      );
    }
    commands.push(
      entry("new-group", "New group", <BoxSelect {...ICON} />, () => void actions.add("group")),
      entry("grid", "Tidy in a grid", <LayoutGrid {...ICON} />, () => void actions.tidy("grid"), "T"),
      entry("lineage", "Tidy by lineage", <Network {...ICON} />, () => void actions.tidy("lineage"), "Shift T"),
      entry("back", "Back to where I looked before", <ArrowLeft {...ICON} />, () => actions.go("back"), "Alt ←"),
      entry("forward", "Forward", <ArrowRight {...ICON} />, () => actions.go("forward"), "Alt →"),
      entry("shelf", "Shelf: what was taken away", <Archive {...ICON} />, onShelf),
      entry("projects", "Projects, folders, archive, bin", <FolderOpen {...ICON} />, () => openWindow("projects")),
      entry("import", "Import conversations", <FileUp {...ICON} />, () => openWindow("import")),
      ...EXPORT_FORMATS.map(({ format, words }) =>
        entry(`export-${format}`, `Export the canvas as ${words}`, <FileDown {...ICON} />, () => {
          if (project) exportProject(project, format);
        }),
      ),
      entry("usage", "Usage: tokens and money", <ChartColumn {...ICON} />, () => openWindow("usage")),
      entry("settings", "Settings", <Settings {...ICON} />, onSettings),
      entry("keys", "Keyboard map", <Keyboard {...ICON} />, onKeys, "?"),
      theme("system", "as the system"),
      theme("light", "light"),
      theme("dark", "dark"),
    );
    const places = [...tabs, ...others]
      .filter((each) => each.project !== project)
      .map((each) =>
        entry(each.id, `Go to project ${each.title || "Untitled"}`, <PanelsTopLeft {...ICON} />, () => {
          show(each.project);
        }),
      );
    const things = nodes.map((node) =>
      entry(node.id, wordsOf(node), KIND_ICONS[node.data.kind], () => spotlight.show(node.id)),
    );
    const [from] = selected.length === 1 ? selected : [];
    const links = (from ? linkTargets(from, nodes, mirror.edges()) : []).map((to) =>
      entry(`link-${to.id}`, `Link to ${wordsOf(to)}`, <Link2 {...ICON} />, () => {
        if (from) void ask({ do: "addEdge", source: from.id, target: to.id });
      }),
    );
    return [...commands, ...places, ...things, ...links];
  }, [
    mirror,
    ask,
    spotlight,
    selection,
    actions,
    history,
    nodes,
    onSettings,
    onShelf,
    onKeys,
    openWindow,
    project,
    tabs,
    others,
    show,
  ]);
}

function wordsOf(node: ReturnType<typeof useNodes>[number]): string {
  const text = node.data.kind === "sticky" ? (node.data.text ?? "").slice(0, 200).split("\n", 1)[0] : "";
  const path = node.data.kind === "file" ? node.data.path : "";
  return node.title || text || path || KIND_WORDS[node.data.kind];
}

/** Messages that were found: choosing one flies there. */
export function useHitEntries(hits: readonly SearchHit[]): readonly Entry[] {
  const { ask, mirror, spotlight } = useTalkfield();
  return useMemo(
    () =>
      hits.map((hit) => {
        const node = mirror.node(hit.node);
        const run = async () => {
          if (node && isFolded(node)) {
            const ack = await ask({ do: "foldChats", nodes: [node.id], folded: false });
            if (ack) await mirror.whenApplied(ack.seq);
          }
          spotlight.showMessage(hit.node, hit.message);
        };
        return {
          id: hit.message,
          words: hit.snippet,
          about: node?.title || "New chat",
          icon: <TextSearch {...ICON} />,
          run: () => void run(),
        };
      }),
    [hits, ask, mirror, spotlight],
  );
}
