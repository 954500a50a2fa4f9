/** Places on the canvas that were looked at before a jump, as a browser's history knows pages; pure. */
import type { Viewport } from "@xyflow/react";

const DEPTH = 50;

export class Visits {
  private behind: Viewport[] = [];
  private ahead: Viewport[] = [];
  private readonly listeners = new Set<() => void>();
  private state = { back: false, forward: false };

  /** Which ways there are; the same value until that changes. */
  current = (): { readonly back: boolean; readonly forward: boolean } => this.state;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** The view leaves `from` for somewhere else: forward is gone, as with pages. */
  leave(from: Viewport): void {
    const last = this.behind.at(-1);
    if (!last || !isSame(last, from)) this.behind = [...this.behind, from].slice(-DEPTH);
    this.ahead = [];
    this.tell();
  }

  /** Where to go from `now`; null: nowhere. */
  back(now: Viewport): Viewport | null {
    const view = this.behind.pop() ?? null;
    if (view) this.ahead.push(now);
    this.tell();
    return view;
  }

  forward(now: Viewport): Viewport | null {
    const view = this.ahead.pop() ?? null;
    if (view) this.behind.push(now);
    this.tell();
    return view;
  }

  /** Another project has other places. */
  clear(): void {
    this.behind = [];
    this.ahead = [];
    this.tell();
  }

  private tell(): void {
    const next = { back: this.behind.length > 0, forward: this.ahead.length > 0 };
    if (next.back === this.state.back && next.forward === this.state.forward) return;
    this.state = next;
    for (const listener of [...this.listeners]) listener();
  }
}

function isSame(left: Viewport, right: Viewport): boolean {
  return Math.abs(left.x - right.x) < 2 && Math.abs(left.y - right.y) < 2 && Math.abs(left.zoom - right.zoom) < 0.01;
}
