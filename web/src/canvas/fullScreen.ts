/** Which chat fills the window, if any; one browser's matter alone. */
import type { NodeId } from "../wire/generated";

export class FullScreen {
  private node: NodeId | null = null;
  private readonly listeners = new Set<() => void>();

  current = (): NodeId | null => this.node;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  show(node: NodeId): void {
    this.set(node);
  }

  leave(): void {
    this.set(null);
  }

  private set(node: NodeId | null): void {
    if (node === this.node) return;
    this.node = node;
    for (const listener of [...this.listeners]) listener();
  }
}
