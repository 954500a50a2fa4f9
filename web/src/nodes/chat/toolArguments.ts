/** A call's arguments for reading: name and value each, or as they came where they are no plain object; pure. */

import { visibleJson, visibleText } from "./visibleText";

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

const LONGEST_STRUCTURED = 50_000;

/** A result for reading: what is structured (an object or a list) one value a line, all else as it is. */
export function resultText(result: string): string {
  if (result === "") return "(empty)";
  if (!/^\s*[{[]/.test(result) || result.length > LONGEST_STRUCTURED) return result;
  try {
    return JSON.stringify(JSON.parse(result), null, 2);
  } catch {
    return result;
  }
}

/** The arguments in one line, for a folded card. */
export function argumentLine(argsJson: string): string {
  const found = toolArguments(argsJson);
  const line = found ? found.map(({ value }) => value).join(", ") : argsJson;
  return visibleText(line.replace(/\s+/g, " ").trim().slice(0, 160));
}

const NUMBER_THAT_WOULD_BE_ROUNDED = /\d{16}/;

/** Arguments for reading and editing: the same, laid out, with nothing in them that hides. */
export function editableJson(text: string): string {
  if (NUMBER_THAT_WOULD_BE_ROUNDED.test(text)) return visibleJson(text);
  try {
    return visibleJson(JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    return visibleJson(text);
  }
}
