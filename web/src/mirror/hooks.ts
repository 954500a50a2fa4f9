/** Reads the mirror from components: each hook re-renders for its own record or list, nothing else. */
import { useCallback, useSyncExternalStore } from "react";
import { useTalkfield } from "../Talkfield";
import type {
  CallId,
  EdgeRecord,
  FileStateRecord,
  HistoryRecord,
  MessageId,
  MessageRecord,
  NodeId,
  NodeRecord,
  ProjectRecord,
  ProviderRecord,
  QueuedRecord,
  RuleRecord,
  RunRecord,
  SaveRecord,
  SettingsRecord,
  ToolCallRecord,
  ToolServerRecord,
  TotalsRecord,
  WorkRecord,
} from "../wire/generated";
import type { Mirror, ServerInfo } from "./mirror";

/** Reads `read(mirror)` again when the record or list `name` changes. `read` must give the same value until then. */
export function useMirror<Value>(name: string, read: (mirror: Mirror) => Value): Value {
  const { mirror } = useTalkfield();
  const subscribe = useCallback((listener: () => void) => mirror.subscribe(name, listener), [mirror, name]);
  return useSyncExternalStore(subscribe, () => read(mirror));
}

export const useNodes = (): readonly NodeRecord[] => useMirror("nodes", (mirror) => mirror.nodes());
export const useEdges = (): readonly EdgeRecord[] => useMirror("edges", (mirror) => mirror.edges());
export const useRuns = (): readonly RunRecord[] => useMirror("runs", (mirror) => mirror.runs());
export const useProviders = (): readonly ProviderRecord[] => useMirror("providers", (mirror) => mirror.providers());
export const useProjects = (): readonly ProjectRecord[] => useMirror("projects", (mirror) => mirror.projects());
export const useAwaitingCalls = (): readonly ToolCallRecord[] =>
  useMirror("awaiting", (mirror) => mirror.awaitingCalls());
export const useRules = (): readonly RuleRecord[] => useMirror("rules", (mirror) => mirror.rules());
export const useToolServers = (): readonly ToolServerRecord[] =>
  useMirror("toolServers", (mirror) => mirror.toolServers());
export const useWorks = (): readonly WorkRecord[] => useMirror("works", (mirror) => mirror.works());

export const useNode = (id: NodeId): NodeRecord | undefined => useMirror(id, (mirror) => mirror.node(id));
export const useMessage = (id: MessageId): MessageRecord | undefined => useMirror(id, (mirror) => mirror.message(id));
export const useCall = (id: CallId): ToolCallRecord | undefined => useMirror(id, (mirror) => mirror.call(id));
export const useRun = (node: NodeId): RunRecord | undefined => useMirror(`run:${node}`, (mirror) => mirror.run(node));
export const useTotals = (node: NodeId): TotalsRecord | undefined =>
  useMirror(`totals:${node}`, (mirror) => mirror.totals(node));
export const useFileState = (node: NodeId): FileStateRecord | undefined =>
  useMirror(`file:${node}`, (mirror) => mirror.fileState(node));
export const useTranscript = (node: NodeId): readonly MessageId[] =>
  useMirror(`messages:${node}`, (mirror) => mirror.messageIds(node));
export const useQueued = (node: NodeId): readonly QueuedRecord[] =>
  useMirror(`queued:${node}`, (mirror) => mirror.queued(node));
export const useCallIds = (message: MessageId): readonly CallId[] =>
  useMirror(`calls:${message}`, (mirror) => mirror.callIds(message));

export const useHistory = (): HistoryRecord | undefined => useMirror("history", (mirror) => mirror.history());
export const useSave = (): SaveRecord | undefined => useMirror("save", (mirror) => mirror.save());
export const useSettings = (): SettingsRecord | undefined => useMirror("settings", (mirror) => mirror.settings());
export const useServer = (): ServerInfo => useMirror("server", (mirror) => mirror.server);
/** Whether a first snapshot has come. */
export const useLoaded = (): boolean => useMirror("server", (mirror) => mirror.loaded);
