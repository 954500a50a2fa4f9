/** Requests to bring one node into view and to put the cursor where it is written: a composer, a note's text. */
import type { MessageId, NodeId } from "../wire/generated";
import { keyPlaceOf } from "./shortcuts";

export class Spotlight {
  private wanted: NodeId | null = null;
  private message: { readonly node: NodeId; readonly message: MessageId } | null = null;
  private readonly listeners = new Set<(node: NodeId) => void>();

  /** Called with each node that is asked for; the result ends that. */
  subscribe = (listener: (node: NodeId) => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Shows `node`. Its composer may not be there yet: it takes the cursor when it comes, unless `cursor` is false. */
  show(node: NodeId, cursor = true): void {
    this.wanted = cursor ? node : null;
    for (const listener of [...this.listeners]) listener(node);
  }

  /** Called when a node is asked for that the server has to make first: what shows it when it is there.
   *
   * Who went on to write elsewhere, or opened a window, while it was made keeps the cursor there.
   */
  later(): (node: NodeId) => void {
    const before = document.activeElement;
    return (node) => {
      const now = document.activeElement;
      this.show(node, now === before || !["window", "text"].includes(keyPlaceOf(now)));
    };
  }

  /** Shows a chat and, as soon as it is drawn, one of its messages. */
  showMessage(node: NodeId, message: MessageId): void {
    this.message = { node, message };
    this.show(node);
  }

  /** The message that is to be shown in `node`; once for each request. */
  takesMessage(node: NodeId): MessageId | null {
    if (this.message?.node !== node) return null;
    const { message } = this.message;
    this.message = null;
    return message;
  }

  /** Whether `node` is to have the cursor; true once for each request. */
  takes(node: NodeId): boolean {
    if (this.wanted !== node) return false;
    this.wanted = null;
    return true;
  }
}
