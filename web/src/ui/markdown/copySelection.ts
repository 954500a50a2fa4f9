/** Copying drawn formulas gives what was written: without this, browsers put a line break for each part of the drawing. */
export function copySelection(event: {
  readonly currentTarget: HTMLElement;
  readonly clipboardData: DataTransfer;
  preventDefault(): void;
}): void {
  const root = event.currentTarget;
  const selection = getSelection();
  if (!selection || selection.rangeCount === 0) return;
  const range = selection.getRangeAt(0);
  const marked = range.cloneContents();
  // Nothing drawn in it, or more than this message: the browser does it well.
  if (!marked.querySelector(".tf-md-formula-drawn > *") || !root.contains(range.commonAncestorContainer)) return;
  root.classList.add("tf-md-as-source");
  const text = selection.toString();
  root.classList.remove("tf-md-as-source");
  for (const drawing of marked.querySelectorAll(".tf-md-formula-drawn")) drawing.remove();
  const html = document.createElement("div");
  html.append(marked);
  event.clipboardData.setData("text/plain", text);
  event.clipboardData.setData("text/html", html.innerHTML);
  event.preventDefault();
}
