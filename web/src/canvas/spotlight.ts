/** Requests to bring one node into view and, for a chat, to put the cursor into its composer. */
import type { MessageId, NodeId } from "../wire/generated";

export class Spotlight {
  private wanted: NodeId | null = null;
  private message: { readonly node: NodeId; readonly message: MessageId } | null = null;
  private readonly listeners = new Set<(node: NodeId) => void>();

  /** Called with each node that is asked for; the result ends that. */
  subscribe = (listener: (node: NodeId) => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Shows `node`. Its composer may not be there yet: it takes the cursor when it comes. */
  show(node: NodeId): void {
    this.wanted = node;
    for (const listener of [...this.listeners]) listener(node);
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
