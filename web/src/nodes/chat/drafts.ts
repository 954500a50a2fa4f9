/**
 * What is being typed, per chat: the one thing besides a drag that a browser alone holds.
 *
 * Owns: texts the server does not have yet, and the sending of them. A text is saved 500 ms after the last key and on
 * blur, and kept in the browser's storage until then (U10). Never loses a text: one that was refused comes back. Lives
 * outside React, so a text survives its node being off screen.
 */
import type { Mirror } from "../../mirror/mirror";
import { type SendCommand, wordsFor } from "../../wire/commands";
import type { NodeId } from "../../wire/generated";

export const SAVE_DELAY_MS = 500;
const STORAGE_PREFIX = "talkfield.draft.";

export interface ComposerState {
  readonly text: string;
  /** A message that is on its way and has no answer yet; null: none is. */
  readonly outgoing: string | null;
  /** Why the last text was not sent; empty when it was. */
  readonly refusal: string;
}

export class Drafts {
  private readonly local = new Map<NodeId, ComposerState>();
  private readonly states = new Map<NodeId, ComposerState>();
  private readonly timers = new Map<NodeId, ReturnType<typeof setTimeout>>();
  private readonly listeners = new Map<NodeId, Set<() => void>>();
  /** Chats where Enter was pressed again while a message was on its way. */
  private readonly next = new Set<NodeId>();

  constructor(
    private readonly ports: {
      readonly mirror: Mirror;
      readonly send: SendCommand;
      readonly storage: Storage | null;
    },
  ) {
    for (const [node, text] of storedTexts(ports.storage)) {
      this.local.set(node, { text, outgoing: null, refusal: "" });
    }
  }

  /** The composer of `node`; the same object until something in it changes. */
  state(node: NodeId): ComposerState {
    const local = this.local.get(node);
    if (local) return local;
    const text = this.savedText(node);
    const kept = this.states.get(node);
    if (kept?.text === text) return kept;
    const state = { text, outgoing: null, refusal: "" };
    this.states.set(node, state);
    return state;
  }

  subscribe(node: NodeId, listener: () => void): () => void {
    const listeners = this.listeners.get(node) ?? new Set();
    this.listeners.set(node, listeners);
    listeners.add(listener);
    const endRecord = this.ports.mirror.subscribe(node, listener);
    // Left from a visit that ended before the server had it; its project is open again.
    if (this.local.has(node)) this.saveSoon(node);
    return () => {
      listeners.delete(listener);
      endRecord();
    };
  }

  edit(node: NodeId, text: string): void {
    this.set(node, { text, outgoing: this.state(node).outgoing, refusal: "" });
    this.saveSoon(node);
  }

  /** Puts `text` into the composer when it is empty; a text that is being typed is never replaced (W4). */
  offer(node: NodeId, text: string): void {
    if (this.state(node).text.trim() === "") this.edit(node, text);
  }

  /** Puts text that had been queued before what stands in the composer: both are the person's own words (W12). */
  giveBack(node: NodeId, text: string): void {
    this.edit(node, joined(text, this.state(node).text));
  }

  /** Saves at once what would be saved soon. */
  flush(node: NodeId): void {
    if (this.timers.has(node)) void this.save(node);
  }

  flushAll(): void {
    for (const node of [...this.timers.keys()]) this.flush(node);
  }

  /**
   * Sends the text. The composer is free for the next one at once, and a refusal puts the text back into it with the
   * reason. Enter while a message is on its way waits for its answer: the order of what is said is never in doubt.
   */
  async submit(node: NodeId): Promise<void> {
    const { text, outgoing } = this.state(node);
    if (text.trim() === "") return;
    if (outgoing !== null) {
      this.next.add(node);
      return;
    }
    this.cancelSave(node);
    this.set(node, { text: "", outgoing: text, refusal: "" });
    try {
      await this.ports.send({ do: "sendMessage", node, text });
    } catch (error) {
      this.next.delete(node);
      this.set(node, { text: joined(text, this.state(node).text), outgoing: null, refusal: wordsFor(error) });
      this.saveSoon(node);
      return;
    }
    this.set(node, { text: this.state(node).text, outgoing: null, refusal: "" });
    if (this.next.delete(node)) await this.submit(node);
    else await this.save(node);
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
    // While a message is on its way the server clears the draft itself; what is typed meanwhile is saved after it.
    if (!draft || draft.outgoing !== null || !this.ports.mirror.node(node)) return;
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

  private set(node: NodeId, draft: ComposerState): void {
    this.local.set(node, draft);
    this.store(node, joined(draft.outgoing ?? "", draft.text));
    this.notify(node);
  }

  private forget(node: NodeId): void {
    this.local.delete(node);
    this.store(node, "");
    this.notify(node);
  }

  private notify(node: NodeId): void {
    for (const listener of [...(this.listeners.get(node) ?? [])]) listener();
  }

  private store(node: NodeId, text: string): void {
    try {
      if (text === "") this.ports.storage?.removeItem(STORAGE_PREFIX + node);
      else this.ports.storage?.setItem(STORAGE_PREFIX + node, text);
    } catch {
      // Storage is full or forbidden; the text is still here and on its way to the server.
    }
  }
}

function storedTexts(storage: Storage | null): [NodeId, string][] {
  const texts: [NodeId, string][] = [];
  for (let index = 0; index < (storage?.length ?? 0); index++) {
    const key = storage?.key(index);
    if (!key?.startsWith(STORAGE_PREFIX)) continue;
    texts.push([key.slice(STORAGE_PREFIX.length) as NodeId, storage?.getItem(key) ?? ""]);
  }
  return texts;
}

function joined(first: string, second: string): string {
  if (first.trim() === "") return second;
  return second.trim() === "" ? first : `${first}\n\n${second}`;
}
