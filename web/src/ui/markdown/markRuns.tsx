import type { ReactNode } from "react";

/** Marks that stand on one letter; a few are how languages are written, dozens are not. */
const LONG_RUN = /\p{M}{48,}/gu;
const DRAWN_MARKS = 24;

/**
 * `text` with the rest of each long run of combining marks kept but not drawn: stacked by the thousand they cover what is
 * around them, and take a browser seconds to lay out.
 */
export function withoutMarkRuns(text: string): ReactNode {
  if (text.length < DRAWN_MARKS) return text;
  const parts: ReactNode[] = [];
  let end = 0;
  for (const { index, 0: run } of text.matchAll(LONG_RUN)) {
    const cut = index + DRAWN_MARKS;
    parts.push(text.slice(end, cut));
    end = index + run.length;
    parts.push(
      <span key={index} className="tf-md-undrawn">
        {text.slice(cut, end)}
      </span>,
    );
  }
  if (end === 0) return text;
  parts.push(text.slice(end));
  return parts;
}
