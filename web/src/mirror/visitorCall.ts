/** What a program outside asks for, as the call that a person decides on; one value for one record (T10). */
import type { MessageId, ToolCallRecord, VisitorCallRecord } from "../wire/generated";

const made = new WeakMap<VisitorCallRecord, ToolCallRecord>();

export function asToolCall(visit: VisitorCallRecord): ToolCallRecord {
  const known = made.get(visit);
  if (known) return known;
  const { id, nodeId, name, argsJson, card } = visit;
  const call: ToolCallRecord = {
    record: "toolCall",
    id,
    nodeId,
    messageId: "" as MessageId,
    index: 0,
    name,
    argsJson,
    status: "awaiting",
    card,
  };
  made.set(visit, call);
  return call;
}
