/** What the page asks for by HTTP: what it shows now and then and does not hold. Changing anything goes by the channel. */
import { CommandError } from "./commands";
import type {
  Attachment,
  BackupContent,
  DataFolderState,
  EdgeId,
  ImportedFile,
  LinkDetail,
  MadeFile,
  ProjectFiles,
  ProjectId,
  RecentCalls,
  RuleDescription,
  RuleTrial,
  SearchResults,
  ShelfItem,
  ShelfList,
  UsageTable,
} from "./generated";

export interface FetchOptions {
  readonly signal: AbortSignal;
  readonly method?: "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Blob;
}

export type Fetch = (address: string, options: FetchOptions) => Promise<Response>;

/** Which calls of the audit log are wanted; empty: whichever. */
export interface AuditFilter {
  readonly words: string;
  readonly outcome: string;
}

export class Http {
  constructor(private readonly fetch: Fetch) {}

  /** What was taken out of a project, newest first; with words, what contains them all (W14). */
  shelf(project: ProjectId, words: string, signal: AbortSignal): Promise<ShelfList> {
    const query = words.trim() === "" ? "" : `?q=${encodeURIComponent(words.trim())}`;
    return this.read(`/api/projects/${encodeURIComponent(project)}/shelf${query}`, signal);
  }

  /** Messages of a project that have all of the words, the best first. */
  search(project: ProjectId, words: string, signal: AbortSignal): Promise<SearchResults> {
    return this.read(`/api/projects/${encodeURIComponent(project)}/search?q=${encodeURIComponent(words)}`, signal);
  }

  /** Files of a project's folder whose path holds some text, the first ones. */
  projectFiles(project: ProjectId, like: string, signal: AbortSignal): Promise<ProjectFiles> {
    return this.read(`/api/projects/${encodeURIComponent(project)}/files?like=${encodeURIComponent(like)}`, signal);
  }

  /** One link, and how what it added differs from what it would add now (L3). */
  link(project: ProjectId, edge: EdgeId, signal: AbortSignal): Promise<LinkDetail> {
    return this.read(`/api/projects/${encodeURIComponent(project)}/links/${encodeURIComponent(edge)}`, signal);
  }

  /** One thing on the shelf, with its messages. */
  shelved(project: ProjectId, item: string, signal: AbortSignal): Promise<ShelfItem> {
    return this.read(`/api/projects/${encodeURIComponent(project)}/shelf/${encodeURIComponent(item)}`, signal);
  }

  /** What ran, the newest first; `before` goes on where the last answer's `next` said (T8). */
  recentCalls(
    project: ProjectId,
    filter: AuditFilter,
    before: number | null,
    signal: AbortSignal,
  ): Promise<RecentCalls> {
    const query = new URLSearchParams();
    if (filter.words.trim()) query.set("words", filter.words.trim());
    if (filter.outcome) query.set("outcome", filter.outcome);
    if (before !== null) query.set("before", String(before));
    return this.read(`/api/projects/${encodeURIComponent(project)}/audit/recent?${query}`, signal);
  }

  /** A rule in words, and what it would have decided on the last 100 calls; nothing is kept (T7). */
  tryRule(project: ProjectId, rule: RuleDescription, signal: AbortSignal): Promise<RuleTrial> {
    return this.read(`/api/projects/${encodeURIComponent(project)}/rules/try`, signal, rule);
  }

  /** Keeps a file that is to go with a message; what comes back goes into `sendMessage` as it is (U11). */
  async attach(file: File, signal: AbortSignal): Promise<Attachment> {
    const query = new URLSearchParams({ name: file.name, type: mediaType(file) });
    const response = await this.fetch(`/api/attachments?${query}`, {
      signal,
      method: "POST",
      headers: { "Content-Type": "application/octet-stream" },
      body: file,
    });
    if (response.ok) return (await response.json()) as Attachment;
    throw await refusalOf(response);
  }

  /** What a file of another chat tool holds; nothing is added (U13). */
  async previewImport(file: File, signal: AbortSignal): Promise<ImportedFile> {
    const headers = { "Content-Type": "application/octet-stream" };
    const response = await this.fetch("/api/imports", { signal, method: "POST", headers, body: file });
    if (response.ok) return (await response.json()) as ImportedFile;
    throw await refusalOf(response);
  }

  /** Tokens and money of the last days, by days of the time zone (U12). */
  usage(days: number, zone: string, signal: AbortSignal): Promise<UsageTable> {
    return this.read(`/api/usage?${new URLSearchParams({ days: String(days), zone })}`, signal);
  }

  /** Where everything is, and how large. */
  dataFolder(signal: AbortSignal): Promise<DataFolderState> {
    return this.read("/api/data", signal);
  }

  /** Makes one file of everything; it then waits at `archiveAddress`. */
  makeArchive(of: "backup" | "export"): Promise<MadeFile> {
    return this.read(of === "backup" ? "/api/backups" : "/api/exports", new AbortController().signal, {});
  }

  /** What a backup holds; nothing is restored before `confirmRestore` (ST10). */
  async checkBackup(file: File): Promise<BackupContent> {
    const headers = { "Content-Type": "application/octet-stream" };
    const { signal } = new AbortController();
    const response = await this.fetch("/api/restores", { signal, method: "POST", headers, body: file });
    if (response.ok) return (await response.json()) as BackupContent;
    throw await refusalOf(response);
  }

  /** Lets a backup that was checked take the place of everything when Talkfield next starts. */
  confirmRestore(id: string): Promise<DataFolderState> {
    return this.read("/api/restores/confirm", new AbortController().signal, { id });
  }

  /** Restores nothing after all. */
  dropRestore(): Promise<DataFolderState> {
    return this.read("/api/restores/drop", new AbortController().signal, {});
  }

  /** The project of a folder, made where there is none. */
  openFolder(folder: string, signal: AbortSignal): Promise<{ readonly id: string }> {
    return this.read("/api/projects", signal, { folder });
  }

  private async read<Answer>(address: string, signal: AbortSignal, body?: object): Promise<Answer> {
    const said = { method: "POST", headers: { "Content-Type": "application/json" } } as const;
    const response = await this.fetch(address, {
      signal,
      ...(body && { ...said, body: JSON.stringify(body) }),
    });
    if (response.ok) return (await response.json()) as Answer;
    throw await refusalOf(response);
  }
}

/** Browsers go by a file's ending alone, and take TypeScript for a kind of film. */
function mediaType(file: File): string {
  return /\.[mc]?tsx?$/i.test(file.name) ? "text/plain" : file.type;
}

/** Where an attachment's bytes are; images may be shown from there. */
export function attachmentAddress(file: Attachment): string {
  return `/api/attachments/${encodeURIComponent(file.digest)}?name=${encodeURIComponent(file.name)}`;
}

/** Where a file of everything is, once. */
export function archiveAddress(made: MadeFile): string {
  return `/api/archives/${encodeURIComponent(made.id)}`;
}

/** Where the whole audit log of a project can be taken from, a line of JSON for each call. */
export function auditAddress(project: ProjectId): string {
  return `/api/projects/${encodeURIComponent(project)}/audit?lines=1`;
}

/** The server's own words; a proxy's page instead of them is not shown. */
async function refusalOf(response: Response): Promise<CommandError> {
  try {
    const { error } = (await response.json()) as { error: { code: string; message: string; hint?: string } };
    return new CommandError("rejected", error.code, error.message, error.hint);
  } catch {
    return new CommandError("unknown", "http", `Talkfield answered ${response.status}.`, "Try again.");
  }
}
