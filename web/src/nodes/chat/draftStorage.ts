/** What is typed and not yet on the server, in the browser's own storage: it outlives the page (U10). */
import type { Attachment, NodeId } from "../../wire/generated";

const TEXT_PREFIX = "talkfield.draft.";
const FILES_PREFIX = "talkfield.draftFiles.";

export interface KeptDraft {
  readonly text: string;
  readonly files: readonly Attachment[];
}

export class DraftStorage {
  constructor(private readonly storage: Storage | null) {}

  all(): [NodeId, KeptDraft][] {
    const nodes = new Set<NodeId>();
    for (let index = 0; index < (this.storage?.length ?? 0); index++) {
      const key = this.storage?.key(index) ?? "";
      for (const prefix of [TEXT_PREFIX, FILES_PREFIX]) {
        if (key.startsWith(prefix)) nodes.add(key.slice(prefix.length) as NodeId);
      }
    }
    return [...nodes].map((node) => [node, { text: this.read(TEXT_PREFIX + node), files: this.files(node) }]);
  }

  keep(node: NodeId, { text, files }: KeptDraft): void {
    this.write(TEXT_PREFIX + node, text);
    this.write(FILES_PREFIX + node, files.length > 0 ? JSON.stringify(files) : "");
  }

  drop(node: NodeId): void {
    this.keep(node, { text: "", files: [] });
  }

  private files(node: NodeId): readonly Attachment[] {
    try {
      return JSON.parse(this.read(FILES_PREFIX + node) || "[]") as readonly Attachment[];
    } catch {
      return [];
    }
  }

  private read(key: string): string {
    return this.storage?.getItem(key) ?? "";
  }

  private write(key: string, value: string): void {
    try {
      if (value === "") this.storage?.removeItem(key);
      else this.storage?.setItem(key, value);
    } catch {
      // Storage is full or forbidden; the draft is still in memory and on its way to the server.
    }
  }
}

/** Both texts, one after the other; an empty one leaves no trace. */
export function joined(first: string, second: string): string {
  if (first.trim() === "") return second;
  return second.trim() === "" ? first : `${first}\n\n${second}`;
}
