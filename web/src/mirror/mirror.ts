/**
 * What the server's document looks like from here: records, indexes, and listeners of the parts that changed.
 *
 * Owns: the records and what is derived from their membership alone. Never: writes of its own; `load` and `apply` are
 * the only ways in, and the whole can be thrown away at any time. Values handed out keep their identity until they
 * change, so they fit `useSyncExternalStore`. Listeners run after a whole batch is applied, never in between; those of
 * a text that only grew may run later, and read what it is by then.
 */
import type {
  BudgetRecord,
  CallId,
  EdgeId,
  EdgeRecord,
  FileStateRecord,
  Frame,
  HistoryRecord,
  LinkMemoryRecord,
  LinkStatusRecord,
  MessageId,
  MessageRecord,
  NodeId,
  NodeRecord,
  ProjectId,
  ProjectRecord,
  ProviderRecord,
  QueuedRecord,
  RuleRecord,
  RunRecord,
  SaveRecord,
  SettingsRecord,
  SlashCommandInfo,
  ToolCallRecord,
  ToolInfo,
  ToolServerRecord,
  TotalsRecord,
  VendorInfo,
  Welcome,
  WireRecord,
  WorkRecord,
} from "../wire/generated";
import { applyChange, type Records } from "./apply";
import { type ListName, listsOf, ownersOf, touchedLists } from "./lists";
import { asToolCall } from "./visitorCall";

/** What is known of the server itself. */
export interface ServerInfo {
  readonly version: string;
  readonly project: ProjectId | null;
  readonly slashCommands: readonly SlashCommandInfo[];
  readonly vendors: readonly VendorInfo[];
  /** Talkfield's own tools, for chats of projects with a folder. */
  readonly projectTools: readonly ToolInfo[];
}

const NOTHING_YET: ServerInfo = { version: "", project: null, slashCommands: [], vendors: [], projectTools: [] };

type Listener = () => void;

export class Mirror {
  private records: Records = new Map();
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly lists = new Map<ListName, readonly unknown[]>();
  private readonly owned = new Map<string, Set<string>>();
  private appliedSeq = 0;
  private serverInfo = NOTHING_YET;
  private isLoaded = false;
  /** Records whose text grew, and whose listeners have not been told yet. */
  private readonly grown = new Set<string>();

  /** `whenItMayBeDrawn` runs what it is given, at once or later: listeners hear of text that only grew with it. */
  constructor(private readonly whenItMayBeDrawn: (draw: () => void) => void = (draw) => draw()) {}

  /** Replaces everything, or with a resumed welcome only what is known of the server. */
  load(welcome: Welcome): void {
    this.serverInfo = {
      version: welcome.version,
      project: welcome.project,
      slashCommands: welcome.slashCommands ?? [],
      vendors: welcome.vendors ?? [],
      projectTools: welcome.projectTools ?? [],
    };
    if (welcome.resumed) {
      this.notify(new Set(["server"]));
      return;
    }
    const before = this.records;
    this.records = new Map();
    this.owned.clear();
    this.grown.clear();
    const touched = new Set<string>(["server", "seq", ...before.keys(), ...this.lists.keys()]);
    for (const record of welcome.records ?? []) {
      this.records.set(record.id, record);
      this.index(undefined, record);
      touched.add(record.id);
      for (const list of listsOf(record)) touched.add(list);
    }
    this.lists.clear();
    this.appliedSeq = welcome.seq;
    this.isLoaded = true;
    this.notify(touched);
  }

  /** Applies frames that follow what was applied before; the caller has checked their `seq` (CH5). */
  apply(frames: readonly Frame[]): void {
    const touched = new Set<string>(["seq"]);
    try {
      for (const frame of frames) {
        for (const change of frame.changes) {
          const before = this.records.get(change.op === "put" ? change.value.id : change.id);
          const id = applyChange(this.records, change);
          const after = this.records.get(id);
          this.index(before, after);
          if (change.op === "append") this.grown.add(id);
          else touched.add(id);
          for (const list of touchedLists(before, after)) {
            this.lists.delete(list);
            touched.add(list);
          }
        }
        this.appliedSeq = frame.seq;
      }
    } finally {
      for (const id of touched) this.grown.delete(id);
      this.notify(touched);
      if (this.grown.size > 0) this.whenItMayBeDrawn(this.tellOfGrowth);
    }
  }

  get loaded(): boolean {
    return this.isLoaded;
  }

  get seq(): number {
    return this.appliedSeq;
  }

  get server(): ServerInfo {
    return this.serverInfo;
  }

  /** Everything there is, by id: for comparing with the server's own. */
  everything(): ReadonlyMap<string, WireRecord> {
    return this.records;
  }

  /** Calls `listener` when the record, list, `server` or `seq` with that name changes; the result ends that. */
  subscribe(name: string, listener: Listener): () => void {
    const listeners = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.listeners.get(name) === listeners) this.listeners.delete(name);
    };
  }

  /** Resolves when frame `seq` has been applied: at once if it already was. */
  whenApplied(seq: number): Promise<void> {
    if (this.appliedSeq >= seq) return Promise.resolve();
    return new Promise((resolve) => {
      const end = this.subscribe("seq", () => {
        if (this.appliedSeq < seq) return;
        end();
        resolve();
      });
    });
  }

  node(id: NodeId): NodeRecord | undefined {
    return this.find(id, "node");
  }

  message(id: MessageId): MessageRecord | undefined {
    return this.find(id, "message");
  }

  /** A model's call, or that of a program outside: both are decided alike (T10). */
  call(id: CallId): ToolCallRecord | undefined {
    const visit = this.find(id, "visitorCall");
    return visit ? asToolCall(visit) : this.find(id, "toolCall");
  }

  run(node: NodeId): RunRecord | undefined {
    return this.find(`run:${node}`, "run");
  }

  /** The limit on a chat or a group, or, without a node, the project's (P8). */
  budget(node?: NodeId): BudgetRecord | undefined {
    return this.find(`budget:${node ?? "project"}`, "budget");
  }

  /** Every limit on spending that this project knows, set or not. */
  budgets(): readonly BudgetRecord[] {
    return this.list("budgets", () => this.all("budget"));
  }

  totals(node: NodeId): TotalsRecord | undefined {
    return this.find(`totals:${node}`, "totals");
  }

  history(): HistoryRecord | undefined {
    return this.find("history", "history");
  }

  save(): SaveRecord | undefined {
    return this.find("save", "save");
  }

  settings(): SettingsRecord | undefined {
    return this.find("settings", "settings");
  }

  nodes(): readonly NodeRecord[] {
    return this.list("nodes", () => this.all("node"));
  }

  edges(): readonly EdgeRecord[] {
    return this.list("edges", () => this.all("edge"));
  }

  runs(): readonly RunRecord[] {
    return this.list("runs", () => this.all("run"));
  }

  /** In the order that a person gave them. */
  providers(): readonly ProviderRecord[] {
    return this.list("providers", () =>
      this.all("provider").sort((left, right) => (left.place ?? 0) - (right.place ?? 0)),
    );
  }

  projects(): readonly ProjectRecord[] {
    return this.list("projects", () => this.all("project"));
  }

  /** Remembered decisions about tool calls, the newest first (T7). */
  rules(): readonly RuleRecord[] {
    return this.list("rules", () =>
      this.all("rule").sort((left, right) => (right.createdAt ?? 0) - (left.createdAt ?? 0)),
    );
  }

  toolServers(): readonly ToolServerRecord[] {
    return this.list("toolServers", () => this.all("toolServer"));
  }

  /** What takes a while and goes on, the oldest first. */
  works(): readonly WorkRecord[] {
    return this.list("works", () => this.all("work"));
  }

  /** What is in the file of a file node. */
  fileState(node: NodeId): FileStateRecord | undefined {
    return this.find(`file:${node}`, "fileState");
  }

  linkStatus(edge: EdgeId): LinkStatusRecord | undefined {
    return this.find(`link:${edge}`, "linkStatus");
  }

  linkMemory(edge: EdgeId): LinkMemoryRecord | undefined {
    return this.find(`memory:${edge}`, "linkMemory");
  }

  /** How each link stands to what its source says now (L3). */
  linkStatuses(): readonly LinkStatusRecord[] {
    return this.list("linkStatuses", () => this.all("linkStatus"));
  }

  /** Tool calls that wait for a decision, on the whole canvas. */
  awaitingCalls(): readonly ToolCallRecord[] {
    return this.list("awaiting", () => [
      ...this.all("visitorCall").map(asToolCall),
      ...this.all("toolCall").filter((call) => call.status === "awaiting"),
    ]);
  }

  /** Ids of a node's messages in order; a growing message does not change the list. */
  messageIds(node: NodeId): readonly MessageId[] {
    return this.list(`messages:${node}`, () =>
      this.ownedBy(`messages:${node}`)
        .map((id) => this.find(id, "message"))
        .filter((message) => message !== undefined)
        .sort((left, right) => left.index - right.index || left.ts - right.ts)
        .map((message) => message.id),
    );
  }

  /** What waits to be sent in a chat, first one first (W12). */
  queued(node: NodeId): readonly QueuedRecord[] {
    return this.list(`queued:${node}`, () =>
      this.ownedBy(`queued:${node}`)
        .map((id) => this.find(id, "queued"))
        .filter((queued) => queued !== undefined)
        .sort((left, right) => left.index - right.index || left.ts - right.ts),
    );
  }

  /** Ids of a message's tool calls in order. */
  callIds(message: MessageId): readonly CallId[] {
    return this.list(`calls:${message}`, () =>
      this.ownedBy(`calls:${message}`)
        .map((id) => this.find(id, "toolCall"))
        .filter((call) => call !== undefined)
        .sort((left, right) => left.index - right.index)
        .map((call) => call.id),
    );
  }

  private find<Kind extends WireRecord["record"]>(
    id: string,
    kind: Kind,
  ): Extract<WireRecord, { record: Kind }> | undefined {
    const record = this.records.get(id);
    return record?.record === kind ? (record as Extract<WireRecord, { record: Kind }>) : undefined;
  }

  private all<Kind extends WireRecord["record"]>(kind: Kind): Extract<WireRecord, { record: Kind }>[] {
    const found: Extract<WireRecord, { record: Kind }>[] = [];
    for (const id of this.ownedBy(kind)) {
      const record = this.find(id, kind);
      if (record) found.push(record);
    }
    return found;
  }

  private ownedBy(owner: string): string[] {
    return [...(this.owned.get(owner) ?? [])];
  }

  private list<Item>(name: ListName, make: () => readonly Item[]): readonly Item[] {
    const kept = this.lists.get(name);
    if (kept) return kept as readonly Item[];
    const made = make();
    this.lists.set(name, made);
    return made;
  }

  private index(before: WireRecord | undefined, after: WireRecord | undefined): void {
    const from = before ? ownersOf(before) : [];
    const to = after ? ownersOf(after) : [];
    if (from.length === to.length && from.every((owner, place) => owner === to[place])) return;
    if (before) for (const owner of from) this.owned.get(owner)?.delete(before.id);
    if (!after) return;
    for (const owner of to) {
      const members = this.owned.get(owner) ?? new Set();
      this.owned.set(owner, members);
      members.add(after.id);
    }
  }

  private readonly tellOfGrowth = (): void => {
    const grown = new Set(this.grown);
    this.grown.clear();
    this.notify(grown);
  };

  private notify(touched: ReadonlySet<string>): void {
    for (const name of touched) {
      const listeners = this.listeners.get(name);
      if (listeners) for (const listener of [...listeners]) listener();
    }
  }
}
