/** How a link stands, in words; pure. */
import type { EdgeRecord, LinkBehavior, LinkState, LinkStatusRecord, NodeData, NodeRecord } from "../wire/generated";

export const STATE_WORDS: Record<LinkState, string> = {
  empty: "Its source is empty.",
  new: "Nothing it delivered is there.",
  armed: "It goes with your next message.",
  current: "Up to date.",
  changed: "The source has changed since.",
  pinned: "Pinned: what it delivered stays as it is.",
};

/** Whether there is a summary, and of what. */
export function summaryWords(state: LinkStatusRecord["summary"], writing: boolean, cost: string): string {
  if (writing) return "It is being written, in a chat of its own beside the source.";
  const paid = cost && cost !== "n/a" ? ` It cost ${cost}.` : "";
  if (state === "current") return `A summary of what the source says now.${paid}`;
  if (state === "changed") return "The source has changed since it was summed up.";
  return "There is no summary yet. Making one asks a model, once.";
}

/** What a person allows a link that writes, as the server wants to hear it. */
export function permission(behavior: LinkBehavior): string {
  return behavior.kind === "writeFile" ? `${behavior.mode ?? "append"} ${behavior.path ?? ""}` : "";
}

/** Whether anything could go from one node to the other. */
export function canLink(source: NodeData["kind"] | undefined, target: NodeData["kind"] | undefined): boolean {
  return source !== undefined && target === "chat";
}

/** The nodes that a link from this one can still lead to. */
export function linkTargets(
  from: NodeRecord,
  nodes: readonly NodeRecord[],
  edges: readonly EdgeRecord[],
): readonly NodeRecord[] {
  const taken = new Set(edges.filter((edge) => edge.source === from.id).map((edge) => edge.target));
  return nodes.filter((to) => to.id !== from.id && canLink(from.data.kind, to.data.kind) && !taken.has(to.id));
}

const KIND_NAMES = { chat: "A chat", sticky: "A note", group: "A group", file: "A file" } as const;

export function nodeName(node: NodeRecord | undefined): string {
  const path = node?.data.kind === "file" ? node.data.path : "";
  return node?.title || path || (node ? KIND_NAMES[node.data.kind] : "Another node");
}
