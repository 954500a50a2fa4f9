/**
 * Files on their way to the server, per chat; when one is there, it stands in the composer (U11).
 *
 * Owns the requests. Lives outside React, so a chat that goes off screen loses no file.
 */
import { wordsFor } from "../../wire/commands";
import type { Attachment, NodeId } from "../../wire/generated";
import type { Drafts } from "./drafts";

export const MAX_FILE_BYTES = 32 * 1024 * 1024;

export interface Upload {
  readonly key: number;
  readonly name: string;
  readonly sizeBytes: number;
}

export type SendFile = (file: File, signal: AbortSignal) => Promise<Attachment>;

interface Running extends Upload {
  readonly abort: AbortController;
  readonly over: Promise<void>;
}

const NONE: readonly Upload[] = [];

export class Uploads {
  private readonly running = new Map<NodeId, readonly Running[]>();
  private readonly listeners = new Set<() => void>();
  private lastKey = 0;

  constructor(private readonly ports: { readonly drafts: Drafts; readonly sendFile: SendFile }) {}

  list(node: NodeId): readonly Upload[] {
    return this.running.get(node) ?? NONE;
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  add(node: NodeId, files: Iterable<File>): void {
    for (const file of files) {
      if (file.size > MAX_FILE_BYTES) {
        this.ports.drafts.complain(node, `${file.name} is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`);
        continue;
      }
      const abort = new AbortController();
      const key = ++this.lastKey;
      // A microtask later, so that what is under way is listed before any of it can be over.
      const before = this.running.get(node)?.at(-1)?.over;
      const over = Promise.resolve().then(() => this.send(node, key, file, abort.signal, before));
      this.set(node, [...(this.running.get(node) ?? []), { key, name: file.name, sizeBytes: file.size, abort, over }]);
    }
  }

  cancel(node: NodeId, key: number): void {
    this.running
      .get(node)
      ?.find((each) => each.key === key)
      ?.abort.abort();
    this.end(node, key);
  }

  /** When nothing of this chat is under way any more. */
  async whenDone(node: NodeId): Promise<void> {
    for (let running = this.running.get(node); running; running = this.running.get(node)) {
      await Promise.all(running.map((each) => each.over));
    }
  }

  private async send(
    node: NodeId,
    key: number,
    file: File,
    signal: AbortSignal,
    before?: Promise<void>,
  ): Promise<void> {
    try {
      const attachment = await this.ports.sendFile(file, signal);
      await before; // all go at once, and stand in the order in which they were picked
      if (!signal.aborted) this.ports.drafts.attach(node, attachment);
    } catch (error) {
      if (!signal.aborted) this.ports.drafts.complain(node, `${file.name} could not be attached: ${wordsFor(error)}`);
    } finally {
      this.end(node, key);
    }
  }

  private end(node: NodeId, key: number): void {
    this.set(
      node,
      (this.running.get(node) ?? []).filter((each) => each.key !== key),
    );
  }

  private set(node: NodeId, running: readonly Running[]): void {
    if (running.length > 0) this.running.set(node, running);
    else this.running.delete(node);
    for (const listener of [...this.listeners]) listener();
  }
}
