/** Joins class names, leaving out what is false. */
export function names(...parts: readonly (string | false | null | undefined)[]): string {
  return parts.filter(Boolean).join(" ");
}
