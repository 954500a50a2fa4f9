/** Where the focus goes among the cards that wait for a decision. A card is found by `data-open-card`. */

const CARD = "[data-open-card]";
const LIST = "[data-card-list]";

function besides(card: Element, step: 1 | -1): HTMLElement | undefined {
  const cards: Element[] = [...(card.closest(LIST)?.querySelectorAll(CARD) ?? [])];
  const next = cards[cards.indexOf(card) + step];
  return next instanceof HTMLElement ? next : undefined;
}

/** To the next open card of the same list, or the one before; it stays at the list's ends. */
export function focusCardBeside(card: Element, step: 1 | -1): void {
  const next = besides(card, step);
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

/**
 * Call it before `card` is decided and the result after: the focus that went with the card goes to another one that
 * waits, or to the transcript. A focus that is elsewhere by then stays there.
 */
export function focusToLeave(card: Element): () => void {
  const heir = besides(card, 1) ?? besides(card, -1) ?? card.closest<HTMLElement>("section[tabindex][data-card-list]");
  const had = card.contains(document.activeElement);
  return () => {
    const active = document.activeElement;
    const lost = active === null || active === document.body || card.contains(active);
    if (had && lost && heir?.isConnected) heir.focus({ preventScroll: true });
  };
}
