/** Which lists of the mirror show a record, so that a change makes stale no others; pure. */
import type { WireRecord } from "../wire/generated";

/** Lists that the mirror keeps: `nodes`, `edges`, …, and per owner `messages:<node>`, `queued:<node>`, `calls:<message>`. */
export type ListName =
  | "nodes"
  | "edges"
  | "runs"
  | "providers"
  | "projects"
  | "awaiting"
  | "rules"
  | "toolServers"
  | "works"
  | "linkStatuses"
  | "budgets"
  | `messages:${string}`
  | `queued:${string}`
  | `calls:${string}`;

/** Sets that a record is a member of, so that no list needs a walk over all records. */
export function ownersOf(record: WireRecord): string[] {
  if (record.record === "message") return [`messages:${record.nodeId}`];
  if (record.record === "queued") return [`queued:${record.nodeId}`];
  if (record.record === "toolCall") return ["toolCall", `calls:${record.messageId}`];
  return [record.record];
}

/** Lists that show a record. */
export function listsOf(record: WireRecord): ListName[] {
  switch (record.record) {
    case "node":
      return ["nodes"];
    case "edge":
      return ["edges"];
    case "run":
      return ["runs"];
    case "provider":
      return ["providers"];
    case "project":
      return ["projects"];
    case "rule":
      return ["rules"];
    case "toolServer":
      return ["toolServers"];
    case "work":
      return ["works"];
    case "linkStatus":
      return ["linkStatuses"];
    case "budget":
      return ["budgets"];
    case "visitorCall":
      return ["awaiting"];
    case "message":
      return [`messages:${record.nodeId}`];
    case "queued":
      return [`queued:${record.nodeId}`];
    case "toolCall":
      return ["awaiting", `calls:${record.messageId}`];
    default:
      return [];
  }
}

/** Lists that a change from `before` to `after` makes stale. Lists of ids only change with membership and order. */
export function touchedLists(before: WireRecord | undefined, after: WireRecord | undefined): ListName[] {
  if (before?.record === "message" && after?.record === "message") {
    return before.nodeId === after.nodeId && before.index === after.index
      ? []
      : [...listsOf(before), ...listsOf(after)];
  }
  if (before?.record === "toolCall" && after?.record === "toolCall") {
    const lists: ListName[] = before.status === after.status ? [] : ["awaiting"];
    const sameCard = before.messageId === after.messageId && before.index === after.index;
    return sameCard ? lists : [...lists, `calls:${before.messageId}`, `calls:${after.messageId}`];
  }
  return [...(before ? listsOf(before) : []), ...(after ? listsOf(after) : [])];
}
