/** Which nodes are selected in this browser. What is gone may still be in it: whoever asks looks at the records. */
export class Selection {
  private ids: ReadonlySet<string> = new Set();
  private readonly listeners = new Set<() => void>();

  /** The same set until it changes. */
  current = (): ReadonlySet<string> => this.ids;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  set(ids: ReadonlySet<string>): void {
    if (ids === this.ids) return;
    this.ids = ids;
    for (const listener of [...this.listeners]) listener();
  }
}
