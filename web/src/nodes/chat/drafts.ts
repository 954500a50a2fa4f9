/**
 * What is being typed, per chat: the one thing besides a drag that a browser alone holds.
 *
 * Owns: texts the server does not have yet, and the sending of them. A text is saved 500 ms after the last key and on
 * blur, and kept in the browser's storage until then (U10). Never loses a text: one that was refused stays. Lives
 * outside React, so a text survives its node being off screen.
 */
import type { Mirror } from "../../mirror/mirror";
import { type SendCommand, wordsFor } from "../../wire/commands";
import type { NodeId } from "../../wire/generated";

export const SAVE_DELAY_MS = 500;
const STORAGE_KEY = "talkfield.drafts";

export interface ComposerState {
  readonly text: string;
  /** A message is on its way: nothing may be sent or typed until it is answered. */
  readonly sending: boolean;
  /** Why the last text was not sent; empty when it was. */
  readonly refusal: string;
}

interface LocalDraft {
  readonly text: string;
  readonly sending: boolean;
  readonly refusal: string;
}

export class Drafts {
  private readonly local = new Map<NodeId, LocalDraft>();
  private readonly states = new Map<NodeId, ComposerState>();
  private readonly timers = new Map<NodeId, ReturnType<typeof setTimeout>>();
  private readonly listeners = new Map<NodeId, Set<() => void>>();

  constructor(
    private readonly ports: {
      readonly mirror: Mirror;
      readonly send: SendCommand;
      readonly storage: Storage | null;
    },
  ) {
    for (const [node, text] of Object.entries(this.stored())) {
      this.local.set(node as NodeId, { text, sending: false, refusal: "" });
      this.saveSoon(node as NodeId);
    }
  }

  /** The composer of `node`; the same object until something in it changes. */
  state(node: NodeId): ComposerState {
    const local = this.local.get(node);
    const text = local?.text ?? this.savedText(node);
    const state = { text, sending: local?.sending ?? false, refusal: local?.refusal ?? "" };
    const kept = this.states.get(node);
    if (kept && kept.text === text && kept.sending === state.sending && kept.refusal === state.refusal) return kept;
    this.states.set(node, state);
    return state;
  }

  subscribe(node: NodeId, listener: () => void): () => void {
    const listeners = this.listeners.get(node) ?? new Set();
    this.listeners.set(node, listeners);
    listeners.add(listener);
    const endRecord = this.ports.mirror.subscribe(node, listener);
    return () => {
      listeners.delete(listener);
      endRecord();
    };
  }

  edit(node: NodeId, text: string): void {
    if (this.local.get(node)?.sending) return;
    this.set(node, { text, sending: false, refusal: "" });
    this.saveSoon(node);
  }

  /** Puts `text` into the composer when it is empty; a text that is being typed is never replaced (W4). */
  offer(node: NodeId, text: string): void {
    if (this.state(node).text.trim() === "") this.edit(node, text);
  }

  /** Puts text that had been queued before what stands in the composer: both are the person's own words (W12). */
  giveBack(node: NodeId, text: string): void {
    const current = this.state(node).text;
    this.edit(node, current.trim() === "" ? text : `${text}\n\n${current}`);
  }

  /** Saves at once what would be saved soon. */
  flush(node: NodeId): void {
    if (this.timers.has(node)) void this.save(node);
  }

  flushAll(): void {
    for (const node of [...this.timers.keys()]) this.flush(node);
  }

  /** Sends the text. It leaves the composer when the server has it, and stays with the reason when it does not. */
  async submit(node: NodeId): Promise<void> {
    const { text, sending } = this.state(node);
    if (sending || text.trim() === "") return;
    this.cancelSave(node);
    this.set(node, { text, sending: true, refusal: "" });
    try {
      await this.ports.send({ do: "sendMessage", node, text });
      this.set(node, { text: "", sending: false, refusal: "" });
      await this.save(node);
    } catch (error) {
      this.set(node, { text, sending: false, refusal: wordsFor(error) });
      this.saveSoon(node);
    }
  }

  private savedText(node: NodeId): string {
    const data = this.ports.mirror.node(node)?.data;
    return data?.kind === "chat" ? (data.draft ?? "") : "";
  }

  private saveSoon(node: NodeId): void {
    this.cancelSave(node);
    this.timers.set(
      node,
      setTimeout(() => void this.save(node), SAVE_DELAY_MS),
    );
  }

  private cancelSave(node: NodeId): void {
    clearTimeout(this.timers.get(node));
    this.timers.delete(node);
  }

  private async save(node: NodeId): Promise<void> {
    this.cancelSave(node);
    const draft = this.local.get(node);
    if (!draft) return;
    try {
      if (draft.text !== this.savedText(node)) {
        const ack = await this.ports.send({ do: "saveDraft", node, text: draft.text });
        await this.ports.mirror.whenApplied(ack.seq);
      }
      // Typed on meanwhile, or refused: then this is not what the server has, or there are words to show.
      if (this.local.get(node) === draft && draft.refusal === "") this.forget(node);
    } catch {
      // The node is gone, or the page is: the text stays here and in the browser's storage.
    }
  }

  private set(node: NodeId, draft: LocalDraft): void {
    this.local.set(node, draft);
    this.store();
    this.notify(node);
  }

  private forget(node: NodeId): void {
    this.local.delete(node);
    this.store();
    this.notify(node);
  }

  private notify(node: NodeId): void {
    for (const listener of [...(this.listeners.get(node) ?? [])]) listener();
  }

  private stored(): Record<string, string> {
    try {
      const found: unknown = JSON.parse(this.ports.storage?.getItem(STORAGE_KEY) ?? "{}");
      if (typeof found !== "object" || found === null) return {};
      const texts = Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === "string");
      return Object.fromEntries(texts);
    } catch {
      return {};
    }
  }

  private store(): void {
    const texts: Record<string, string> = {};
    for (const [node, draft] of this.local) if (draft.text !== "") texts[node] = draft.text;
    try {
      if (Object.keys(texts).length === 0) this.ports.storage?.removeItem(STORAGE_KEY);
      else this.ports.storage?.setItem(STORAGE_KEY, JSON.stringify(texts));
    } catch {
      // Storage is full or forbidden; the text is still here and on its way to the server.
    }
  }
}
