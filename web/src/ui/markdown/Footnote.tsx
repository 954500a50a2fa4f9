import type { MouseEvent, ReactNode } from "react";

/** The mark in the text that leads to a footnote of the same message. */
export function FootnoteReference({ label }: { readonly label: string }) {
  const onClick = (event: MouseEvent<HTMLElement>) => {
    const message = event.currentTarget.closest(".tf-markdown");
    for (const note of message?.querySelectorAll<HTMLElement>("[data-footnote]") ?? []) {
      if (note.dataset.footnote !== label) continue;
      note.scrollIntoView({ block: "nearest" });
      note.focus({ preventScroll: true });
      return;
    }
  };
  return (
    <sup className="tf-md-footnote-mark">
      <button type="button" aria-label={`Footnote ${label}`} onClick={onClick}>
        {label}
      </button>
    </sup>
  );
}

interface FootnoteProps {
  readonly label: string;
  readonly children: ReactNode;
}

export function Footnote({ label, children }: FootnoteProps) {
  return (
    // No id: names that the model chose must not reach the page's own namespace.
    <div className="tf-md-footnote" role="note" tabIndex={-1} data-footnote={label} dir="auto">
      <span className="tf-md-footnote-label">{label}</span>
      <div className="tf-md-note-text">{children}</div>
    </div>
  );
}
