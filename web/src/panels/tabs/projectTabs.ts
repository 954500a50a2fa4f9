/** Which projects stand as tabs in the top bar, and in which order: kept by this browser, for all its pages alike. */
import type { ProjectId } from "../../wire/generated";

const STORAGE_KEY = "talkfield.tabs";
const MOST_TABS = 40;

type Store = Pick<Storage, "getItem" | "setItem"> | null;

export class ProjectTabs {
  private ids: readonly ProjectId[];
  private readonly listeners = new Set<() => void>();

  constructor(private readonly storage: Store) {
    this.ids = this.read();
  }

  /** The same list until it changes. Projects that are gone may still be in it: whoever asks looks at the records. */
  current = (): readonly ProjectId[] => this.ids;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** A project is looked at: it has a tab from now on, the last one. */
  open(project: ProjectId): void {
    if (!this.ids.includes(project)) this.set([...this.ids, project].slice(-MOST_TABS));
  }

  close(project: ProjectId): void {
    if (this.ids.includes(project)) this.set(this.ids.filter((id) => id !== project));
  }

  /** Puts a tab where `other` stands now. */
  move(project: ProjectId, other: ProjectId): void {
    const [from, to] = [this.ids.indexOf(project), this.ids.indexOf(other)];
    if (from < 0 || to < 0 || from === to) return;
    const next = this.ids.filter((id) => id !== project);
    next.splice(to, 0, project);
    this.set(next);
  }

  /** Another page of this browser has changed them. */
  reread(): void {
    const next = this.read();
    if (next.join() !== this.ids.join()) this.tell(next);
  }

  private set(next: readonly ProjectId[]): void {
    try {
      this.storage?.setItem(STORAGE_KEY, JSON.stringify(next));
    } catch {
      // Storage is full or forbidden: the tabs are those of this page.
    }
    this.tell(next);
  }

  private tell(next: readonly ProjectId[]): void {
    this.ids = next;
    for (const listener of [...this.listeners]) listener();
  }

  private read(): readonly ProjectId[] {
    try {
      const found: unknown = JSON.parse(this.storage?.getItem(STORAGE_KEY) ?? "[]");
      if (!Array.isArray(found)) return [];
      const ids = found.filter((id): id is ProjectId => typeof id === "string");
      return [...new Set(ids)].slice(0, MOST_TABS);
    } catch {
      return [];
    }
  }
}

/** Which project is to be shown when `closed` goes: the one after it, else the one before; null: there is none. */
export function besideTab(tabs: readonly ProjectId[], closed: ProjectId): ProjectId | null {
  const place = tabs.indexOf(closed);
  return tabs[place + 1] ?? tabs[place - 1] ?? null;
}

/** The tab `steps` further, round and round; null: there is no other. */
export function tabAfter(tabs: readonly ProjectId[], from: ProjectId | null, steps: number): ProjectId | null {
  if (tabs.length < 2 || !from) return null;
  const place = (((tabs.indexOf(from) + steps) % tabs.length) + tabs.length) % tabs.length;
  return tabs[place] ?? null;
}
