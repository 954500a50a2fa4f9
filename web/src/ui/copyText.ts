/** Puts the original text on the clipboard. False where the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    // Missing on plain HTTP: then the old way is the only one.
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // Refused: try the old way.
  }
  const field = document.createElement("textarea");
  field.value = text;
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}
