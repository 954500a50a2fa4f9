/** As high as its text; the style sheet sets the most. */
export function grow(field: HTMLTextAreaElement | null, _text: string): void {
  if (!field) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}
