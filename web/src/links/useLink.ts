/** Reads what is known of one link, and the links of one chat. */
import { useMemo } from "react";
import { useEdges, useMirror } from "../mirror/hooks";
import type { EdgeId, EdgeRecord, LinkMemoryRecord, LinkStatusRecord, NodeId } from "../wire/generated";

export const useLinkStatus = (edge: EdgeId): LinkStatusRecord | undefined =>
  useMirror(`link:${edge}`, (mirror) => mirror.linkStatus(edge));
export const useLinkMemory = (edge: EdgeId): LinkMemoryRecord | undefined =>
  useMirror(`memory:${edge}`, (mirror) => mirror.linkMemory(edge));
export const useLinkStatuses = (): readonly LinkStatusRecord[] =>
  useMirror("linkStatuses", (mirror) => mirror.linkStatuses());

/** Links into a chat whose sources say something else by now (L3). */
export function useChangedLinks(node: NodeId): readonly EdgeRecord[] {
  const edges = useEdges();
  const statuses = useLinkStatuses();
  return useMemo(() => {
    const changed = new Set(statuses.filter((status) => status.state === "changed").map((status) => status.edgeId));
    return edges.filter((edge) => edge.target === node && changed.has(edge.id));
  }, [edges, statuses, node]);
}
