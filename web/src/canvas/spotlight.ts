/** Requests to bring one node into view and, for a chat, to put the cursor into its composer. */
import type { NodeId } from "../wire/generated";

export class Spotlight {
  private wanted: NodeId | null = null;
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

  /** Whether `node` is to have the cursor; true once for each request. */
  takes(node: NodeId): boolean {
    if (this.wanted !== node) return false;
    this.wanted = null;
    return true;
  }
}
