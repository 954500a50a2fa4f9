/** Notifications of the system: whether the person wants them, and the browser allows them. Kept by this browser. */

const STORAGE_KEY = "talkfield.notify";

export type NotifyState = "possible" | "refused" | "missing";

export function notifyState(): NotifyState {
  if (!("Notification" in window)) return "missing";
  return Notification.permission === "denied" ? "refused" : "possible";
}

export function isNotifying(): boolean {
  try {
    return notifyState() === "possible" && localStorage.getItem(STORAGE_KEY) === "on";
  } catch {
    return false;
  }
}

export function setNotifying(on: boolean): void {
  try {
    if (on) localStorage.setItem(STORAGE_KEY, "on");
    else localStorage.removeItem(STORAGE_KEY);
  } catch {
    // Storage is full or forbidden: asked again next time.
  }
}

/** Asks the browser, which asks the person once. */
export async function askToNotify(): Promise<boolean> {
  if (!("Notification" in window)) return false;
  return (await Notification.requestPermission()) === "granted";
}

/** Shows it where it is wanted and allowed; a later one with the same `tag` replaces it. `onClick`: it was chosen. */
export function notify(title: string, words: string, tag: string, onClick: () => void): void {
  if (!isNotifying() || Notification.permission !== "granted") return;
  try {
    const shown = new Notification(title, { body: words, tag });
    shown.onclick = () => {
      window.focus();
      onClick();
      shown.close();
    };
  } catch {
    // Some browsers only let service workers show them: the tab's title counts, too.
  }
}
