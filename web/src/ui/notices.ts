/** Short words about what went wrong, shown for a while. */

export interface Notice {
  readonly id: number;
  readonly text: string;
}

export const NOTICE_DURATION_MS = 9_000;

export class Notices {
  private notices: readonly Notice[] = [];
  private readonly listeners = new Set<() => void>();
  private count = 0;

  list = (): readonly Notice[] => this.notices;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Shows `text`; the same words again take the place of the first. */
  show(text: string): void {
    const notice = { id: ++this.count, text };
    this.set([...this.notices.filter((other) => other.text !== text).slice(-3), notice]);
    setTimeout(() => this.dismiss(notice.id), NOTICE_DURATION_MS);
  }

  dismiss(id: number): void {
    if (this.notices.some((notice) => notice.id === id)) {
      this.set(this.notices.filter((notice) => notice.id !== id));
    }
  }

  private set(notices: readonly Notice[]): void {
    this.notices = notices;
    for (const listener of [...this.listeners]) listener();
  }
}
