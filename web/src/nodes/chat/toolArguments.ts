/** A call's arguments for reading: name and value each, or as they came where they are no plain object; pure. */

export interface ToolArgument {
  readonly name: string;
  readonly value: string;
}

/** Null: not a JSON object, to be shown as it is. */
export function toolArguments(argsJson: string): readonly ToolArgument[] | null {
  try {
    const parsed: unknown = JSON.parse(argsJson || "{}");
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return null;
    return Object.entries(parsed).map(([name, value]) => ({
      name,
      value: typeof value === "string" ? value : JSON.stringify(value, null, 2),
    }));
  } catch {
    return null;
  }
}

/** The arguments in one line, for a folded card. */
export function argumentLine(argsJson: string): string {
  const found = toolArguments(argsJson);
  const line = found ? found.map(({ value }) => value).join(", ") : argsJson;
  return line.replace(/\s+/g, " ").trim().slice(0, 160);
}
