/** How long the view takes to move, in ms: not at all for readers who asked for less motion. */
export function moveDuration(): number {
  return window.matchMedia?.("(prefers-reduced-motion: reduce)").matches ? 0 : 220;
}
