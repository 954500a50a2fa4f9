/** Short words about what went wrong, shown for a while. */

/** What can be done about it. Doing it ends the notice. */
export interface Step {
  readonly label: string;
  readonly testId: string;
  readonly act: () => void;
}

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly steps: readonly Step[];
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

  /** Shows `text`; the same words again take the place of the first. With `steps` it stays until one is taken. */
  show(text: string, steps: readonly Step[] = []): void {
    const notice = { id: ++this.count, text, steps };
    this.set([...this.notices.filter((other) => other.text !== text).slice(-3), notice]);
    if (steps.length === 0) setTimeout(() => this.dismiss(notice.id), NOTICE_DURATION_MS);
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
