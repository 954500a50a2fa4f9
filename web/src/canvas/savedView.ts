/** Where each project was being looked at, kept by this browser alone. */
import type { Viewport } from "@xyflow/react";

const key = (project: string) => `talkfield.view.${project}`;

export function savedView(project: string): Viewport | null {
  try {
    const found = JSON.parse(localStorage.getItem(key(project)) ?? "null") as Partial<Viewport> | null;
    const { x, y, zoom } = found ?? {};
    const whole = Number.isFinite(x) && Number.isFinite(y) && Number.isFinite(zoom) && Number(zoom) > 0;
    return whole ? { x: Number(x), y: Number(y), zoom: Number(zoom) } : null;
  } catch {
    return null;
  }
}

export function saveView(project: string, view: Viewport): void {
  try {
    localStorage.setItem(key(project), JSON.stringify(view));
  } catch {
    // Storage is full or forbidden: the next visit starts with everything in view.
  }
}
