/** What the page asks for by HTTP: what it shows now and then and does not hold. Changing anything goes by the channel. */
import { CommandError } from "./commands";
import type { ProjectId, ShelfItem, ShelfList } from "./generated";

export type Fetch = (address: string, options: { readonly signal: AbortSignal }) => Promise<Response>;

export class Http {
  constructor(private readonly fetch: Fetch) {}

  /** What was taken out of a project, newest first; with words, what contains them all (W14). */
  shelf(project: ProjectId, words: string, signal: AbortSignal): Promise<ShelfList> {
    const query = words.trim() === "" ? "" : `?q=${encodeURIComponent(words.trim())}`;
    return this.read(`/api/projects/${encodeURIComponent(project)}/shelf${query}`, signal);
  }

  /** One thing on the shelf, with its messages. */
  shelved(project: ProjectId, item: string, signal: AbortSignal): Promise<ShelfItem> {
    return this.read(`/api/projects/${encodeURIComponent(project)}/shelf/${encodeURIComponent(item)}`, signal);
  }

  private async read<Answer>(address: string, signal: AbortSignal): Promise<Answer> {
    const response = await this.fetch(address, { signal });
    if (response.ok) return (await response.json()) as Answer;
    throw await refusalOf(response);
  }
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
