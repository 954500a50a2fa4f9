/** Where the focus goes when what had it goes. */

/** Puts the focus on the transcript around `element`: what had it is about to go, and keys must not fall to the page. */
export function focusConversation(element: Element): void {
  element.closest<HTMLElement>("section[tabindex]")?.focus({ preventScroll: true });
}

/** Puts the cursor into the composer below the transcript around `element`, for what is said next. */
export function focusComposer(element: Element): void {
  const chat = element.closest("section[tabindex]")?.closest(".nokey");
  chat?.querySelector<HTMLElement>("textarea[data-composer]")?.focus({ preventScroll: true });
}
