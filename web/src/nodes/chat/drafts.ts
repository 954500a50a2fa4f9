/**
 * What is being typed, per chat: the one thing besides a drag that a browser alone holds.
 *
 * Owns: texts the server does not have yet, with the files that go with them, and the sending of both. A text is saved
 * 500 ms after the last key and on blur, and kept in the browser's storage until then (U10). Never loses a text: one
 * that was refused comes back. Lives outside React, so a text survives its node being off screen.
 */
import type { Mirror } from "../../mirror/mirror";
import { CommandError, isFull, type SendCommand, wordsFor } from "../../wire/commands";
import type { Ack, Attachment, NodeId, SendMessage } from "../../wire/generated";
import { DraftStorage, joined } from "./draftStorage";

export const SAVE_DELAY_MS = 500;

export interface ComposerState {
  readonly text: string;
  readonly files: readonly Attachment[];
  /** A message that is on its way and has no answer yet; null: none is. */
  readonly outgoing: string | null;
  readonly outgoingFiles: readonly Attachment[];
  /** Why the last text was not sent; empty when it was. */
  readonly refusal: string;
  /** It was refused for being more than the model can take in: a person decides what then (C7). */
  readonly full: boolean;
}

const NO_FILES: readonly Attachment[] = [];
const EMPTY: ComposerState = {
  text: "",
  files: NO_FILES,
  outgoing: null,
  outgoingFiles: NO_FILES,
  refusal: "",
  full: false,
};

export class Drafts {
  private readonly local = new Map<NodeId, ComposerState>();
  private readonly states = new Map<NodeId, ComposerState>();
  private readonly timers = new Map<NodeId, ReturnType<typeof setTimeout>>();
  private readonly listeners = new Map<NodeId, Set<() => void>>();
  /** Chats where Enter was pressed again while a message was on its way. */
  private readonly next = new Set<NodeId>();
  private readonly storage: DraftStorage;

  constructor(
    private readonly ports: {
      readonly mirror: Mirror;
      readonly send: SendCommand;
      readonly storage: Storage | null;
    },
  ) {
    this.storage = new DraftStorage(ports.storage);
    for (const [node, draft] of this.storage.all()) this.local.set(node, { ...EMPTY, ...draft });
  }

  /** The composer of `node`; the same object until something in it changes. */
  state(node: NodeId): ComposerState {
    const local = this.local.get(node);
    if (local) return local;
    const saved = this.saved(node);
    const kept = this.states.get(node);
    if (kept?.text === saved.text && kept.files === saved.files) return kept;
    const state = { ...EMPTY, ...saved };
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
    this.set(node, { ...this.state(node), text, refusal: "", full: false });
    this.saveSoon(node);
  }

  /** Puts a file that the server has beside the text; the same one twice is once. */
  attach(node: NodeId, file: Attachment): void {
    const state = this.state(node);
    const others = state.files.filter((each) => each.digest !== file.digest || each.name !== file.name);
    this.set(node, { ...state, files: [...others, file], refusal: "", full: false });
    this.saveSoon(node);
  }

  detach(node: NodeId, file: Attachment): void {
    const state = this.state(node);
    this.set(node, { ...state, files: state.files.filter((each) => each.id !== file.id), refusal: "", full: false });
    this.saveSoon(node);
  }

  /** Says why something did not get into the composer; what stands there stays. */
  complain(node: NodeId, refusal: string): void {
    this.set(node, { ...this.state(node), refusal });
  }

  /** Puts `text` into the composer when it is empty; a text that is being typed is never replaced (W4). Whether it did. */
  offer(node: NodeId, text: string, files: readonly Attachment[] = NO_FILES): boolean {
    const state = this.state(node);
    if (state.text.trim() !== "" || state.files.length > 0) return false;
    this.set(node, { ...state, text, files, refusal: "", full: false });
    this.saveSoon(node);
    return true;
  }

  /** Takes back what `offer` put there, if it is all that stands there (W4). Whether it did. */
  withdraw(node: NodeId, text: string, files: readonly Attachment[] = NO_FILES): boolean {
    const state = this.state(node);
    if (state.text !== text || !sameFiles(state.files, files)) return false;
    this.set(node, { ...state, text: "", files: NO_FILES });
    this.saveSoon(node);
    return true;
  }

  /** Puts text that had been queued before what stands in the composer: both are the person's own words (W12). */
  giveBack(node: NodeId, text: string, files: readonly Attachment[] = NO_FILES): void {
    const state = this.state(node);
    this.set(node, {
      ...state,
      text: joined(text, state.text),
      files: [...files, ...state.files],
      refusal: "",
      full: false,
    });
    this.saveSoon(node);
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
  async submit(node: NodeId, whenFull?: SendMessage["whenFull"]): Promise<Ack | null> {
    const { text, files, outgoing } = this.state(node);
    if (text.trim() === "" && files.length === 0) return null;
    if (outgoing !== null) {
      this.next.add(node);
      return null;
    }
    this.cancelSave(node);
    this.set(node, { ...EMPTY, outgoing: text, outgoingFiles: files });
    let ack: Ack | null = null;
    try {
      ack = await this.ports.send({ do: "sendMessage", node, text, ...attached(files), ...(whenFull && { whenFull }) });
    } catch (error) {
      if (!isSaid(error)) {
        this.next.delete(node);
        const now = this.state(node);
        const back = { text: joined(text, now.text), files: [...files, ...now.files] };
        const full = isFull(error);
        this.set(node, { ...EMPTY, ...back, refusal: wordsFor(error), full });
        this.saveSoon(node);
        return null;
      }
    }
    this.set(node, { ...this.state(node), outgoing: null, outgoingFiles: NO_FILES, refusal: "", full: false });
    if (this.next.delete(node)) await this.submit(node);
    else await this.save(node);
    return ack;
  }

  private saved(node: NodeId): { readonly text: string; readonly files: readonly Attachment[] } {
    const data = this.ports.mirror.node(node)?.data;
    if (data?.kind !== "chat") return { text: "", files: NO_FILES };
    return { text: data.draft ?? "", files: data.draftFiles ?? NO_FILES };
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
      const saved = this.saved(node);
      if (draft.text !== saved.text || !sameFiles(draft.files, saved.files)) {
        const ack = await this.ports.send({ do: "saveDraft", node, text: draft.text, ...attached(draft.files) });
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
    this.storage.keep(node, {
      text: joined(draft.outgoing ?? "", draft.text),
      files: [...draft.outgoingFiles, ...draft.files],
    });
    this.notify(node);
  }

  private forget(node: NodeId): void {
    this.local.delete(node);
    this.storage.drop(node);
    this.notify(node);
  }

  private notify(node: NodeId): void {
    for (const listener of [...(this.listeners.get(node) ?? [])]) listener();
  }
}

function attached(files: readonly Attachment[]): { readonly attachments?: readonly Attachment[] } {
  return files.length > 0 ? { attachments: files } : {};
}

function sameFiles(one: readonly Attachment[], other: readonly Attachment[]): boolean {
  return one.length === other.length && one.every((file, index) => file.id === other[index]?.id);
}

/** Whether it was said though there is no ack: it stands in the chat and waits for the disk. Put back, it would be said twice (W9). */
function isSaid(error: unknown): boolean {
  return error instanceof CommandError && error.code === "save_failed";
}
