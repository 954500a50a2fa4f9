/** Values as a person types them, a name and a value on each line; pure. */

/** The values by name, or what is wrong with a line. */
export function namedLines(text: string, sign: "=" | ":"): Record<string, string> | string {
  const found: Record<string, string> = {};
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const at = line.indexOf(sign);
    const name = line.slice(0, at).trim();
    if (at < 0 || name === "") return `Each line is a name, ${sign} and a value.`;
    found[name] = line.slice(at + 1).trim();
  }
  return found;
}
