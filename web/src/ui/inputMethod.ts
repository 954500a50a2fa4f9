/** Keys that belong to an input method are not the page's (U3). */

/**
 * Keeps every key that an input method uses from all that listens for keys on this page: the Enter that chooses a word
 * neither sends, saves nor decides, and Escape takes back a word and not the text. The text itself is written by the
 * browser, as ever. Called once, before anything else listens.
 *
 * Safari ends a composition before it reports the very Enter that ended it: until a key is let go, Enter is not a
 * person's yet.
 */
export function keepInputMethodKeys(page: Window): void {
  let justComposed = false;
  const listen = (kind: string, hear: (event: Event) => void) => page.addEventListener(kind, hear, { capture: true });
  listen("compositionend", () => {
    justComposed = true;
  });
  listen("keyup", () => {
    justComposed = false;
  });
  listen("keydown", (event) => {
    const { key, keyCode, isComposing } = event as KeyboardEvent;
    if (isComposing || keyCode === 229 || (justComposed && key === "Enter")) event.stopPropagation();
  });
}
