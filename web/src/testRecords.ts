/** Records for tests: keyword-only builders with the least that each needs. */
import type {
  CallId,
  EdgeId,
  EdgeRecord,
  Frame,
  MessageId,
  MessageRecord,
  NodeId,
  NodeRecord,
  ProjectId,
  ProjectRecord,
  ProviderId,
  ProviderRecord,
  QueuedRecord,
  RecordId,
  RuleId,
  RuleRecord,
  RunRecord,
  SettingsRecord,
  StickyData,
  ToolCallRecord,
  ToolServerRecord,
  TotalsRecord,
  TurnId,
  VisitorCallRecord,
  Welcome,
  WireRecord,
  WorkRecord,
} from "./wire/generated";

type Loose<Value, Branded extends keyof Value> = Partial<Omit<Value, Branded>> & { [Key in Branded]?: string };

export function chat(fields: Loose<NodeRecord, "id"> = {}): NodeRecord {
  const { id = "n1", ...rest } = fields;
  return { record: "node", x: 0, y: 0, width: 460, height: 520, data: { kind: "chat" }, ...rest, id: id as NodeId };
}

export function sticky(fields: Loose<NodeRecord, "id"> = {}, data: Partial<StickyData> = {}): NodeRecord {
  const { id = "s1", ...rest } = fields;
  const record = { x: 0, y: 0, width: 240, height: 200, ...rest };
  return { record: "node", data: { kind: "sticky", ...data }, ...record, id: id as NodeId };
}

export function edge(fields: Loose<EdgeRecord, "id" | "source" | "target"> = {}): EdgeRecord {
  const { id = "e1", source = "n1", target = "n2", ...rest } = fields;
  return { record: "edge", ...rest, id: id as EdgeId, source: source as NodeId, target: target as NodeId };
}

export function message(fields: Loose<MessageRecord, "id" | "nodeId" | "turn"> = {}): MessageRecord {
  const { id = "m1", nodeId = "n1", turn, ...rest } = fields;
  return {
    record: "message",
    role: "user",
    content: "",
    ts: 0,
    index: 0,
    ...rest,
    ...(turn === undefined ? {} : { turn: turn as TurnId }),
    id: id as MessageId,
    nodeId: nodeId as NodeId,
  };
}

export function call(fields: Loose<ToolCallRecord, "id" | "nodeId" | "messageId"> = {}): ToolCallRecord {
  const { id = "c1", nodeId = "n1", messageId = "m1", ...rest } = fields;
  return {
    record: "toolCall",
    index: 0,
    name: "read_file",
    argsJson: "{}",
    status: "awaiting",
    ...rest,
    id: id as CallId,
    nodeId: nodeId as NodeId,
    messageId: messageId as MessageId,
  };
}

export function queued(fields: Loose<QueuedRecord, "id" | "nodeId"> = {}): QueuedRecord {
  const { id = "q1", nodeId = "n1", ...rest } = fields;
  const record = { index: 0, text: "", ts: 0, ...rest };
  return { record: "queued", ...record, id: id as MessageId, nodeId: nodeId as NodeId };
}

export function run(fields: Partial<Omit<RunRecord, "nodeId" | "turn">> & { nodeId?: string } = {}): RunRecord {
  const { nodeId = "n1", ...rest } = fields;
  return {
    record: "run",
    phase: "streaming",
    startedAt: 0,
    ...rest,
    id: `run:${nodeId}` as RecordId,
    nodeId: nodeId as NodeId,
    turn: "t1" as TurnId,
  };
}

export function totals(fields: Partial<TotalsRecord> = {}): TotalsRecord {
  return {
    record: "totals",
    id: "totals:n1" as RecordId,
    nodeId: "n1" as NodeId,
    inputTokens: 0,
    outputTokens: 0,
    usd: "0",
    label: "n/a",
    ...fields,
  };
}

export function provider(fields: Loose<ProviderRecord, "id" | "provider"> = {}): ProviderRecord {
  const { provider: name = "openai", ...rest } = fields;
  return {
    record: "provider",
    name: "OpenAI",
    api: "openai",
    baseUrl: "https://api.openai.com/v1",
    origin: "settings",
    status: "ready",
    ...rest,
    id: `provider:${name}` as RecordId,
    provider: name as ProviderId,
  };
}

export function project(fields: Loose<ProjectRecord, "id" | "project"> = {}): ProjectRecord {
  const { project: name = "p1", ...rest } = fields;
  return {
    record: "project",
    title: `Project ${name}`,
    ...rest,
    id: `project:${name}` as RecordId,
    project: name as ProjectId,
  };
}

export function settings(fields: Partial<SettingsRecord> = {}): SettingsRecord {
  return { record: "settings", id: "settings" as RecordId, ...fields };
}

export function welcome(records: readonly WireRecord[], fields: Partial<Welcome> = {}): Welcome {
  return {
    type: "welcome",
    protocol: 1,
    version: "1",
    project: "p1" as ProjectId,
    epoch: "one",
    seq: 0,
    resumed: false,
    records,
    ...fields,
  };
}

export function frame(seq: number, ...changes: Frame["changes"]): Frame {
  return { seq, cause: "test", changes };
}

export const put = (value: WireRecord): Frame["changes"][number] => ({ op: "put", value });
export const remove = (id: string): Frame["changes"][number] => ({ op: "remove", id: id as RecordId });
export const append = (id: string, text: string, field: "content" | "thinking" | "result" = "content") =>
  ({ op: "append", id: id as RecordId, field, text }) as const;

export function toolServer(fields: Loose<ToolServerRecord, "id"> = {}): ToolServerRecord {
  const { name = "prog", origin = "settings", ...rest } = fields;
  return {
    record: "toolServer",
    status: "ready",
    what: "prog --serve",
    ...rest,
    name,
    origin,
    id: `toolServer:${origin}:${name}` as RecordId,
  };
}

export function rule(fields: Loose<RuleRecord, "id" | "nodeId"> = {}): RuleRecord {
  const { id = "r1", nodeId, ...rest } = fields;
  return {
    record: "rule",
    action: "allow",
    tool: "write_file",
    kind: "path",
    pattern: "docs/**",
    ...rest,
    ...(nodeId === undefined ? {} : { nodeId: nodeId as NodeId }),
    id: id as RuleId,
  };
}

export function visitorCall(fields: Loose<VisitorCallRecord, "id" | "nodeId"> = {}): VisitorCallRecord {
  const { id = "v1", nodeId = "", ...rest } = fields;
  return {
    record: "visitorCall",
    name: "talkfield__send_message",
    argsJson: "{}",
    card: { digest: "d", ready: true },
    at: 0,
    ...rest,
    id: id as CallId,
    nodeId: nodeId as NodeId,
  };
}

export function work(fields: Loose<WorkRecord, "id"> = {}): WorkRecord {
  const { id = "work:1", ...rest } = fields;
  return { record: "work", what: "Making a backup", ...rest, id: id as RecordId };
}
