/** Which tools a chat could use, in groups, and which of them are on in it; pure (T10). */
import type { ToolInfo, ToolServerRecord } from "../../wire/generated";

export interface ToolGroup {
  /** The name that switches off all of it; null: each of its tools by itself alone. */
  readonly source: string | null;
  readonly title: string;
  readonly detail: string;
  readonly tools: readonly string[];
}

/** `hasFolder`: the project has one, and with it Talkfield's own tools (T9). */
export function toolGroups(
  own: readonly ToolInfo[],
  hasFolder: boolean,
  servers: readonly ToolServerRecord[],
): readonly ToolGroup[] {
  const groups: ToolGroup[] = [];
  if (hasFolder && own.length > 0) {
    groups.push({ source: null, title: "In this project's folder", detail: "", tools: own.map(({ name }) => name) });
  }
  for (const { name, status, tools = [] } of servers) {
    if (status === "off" || status === "refused") continue;
    groups.push({ source: name, title: name, detail: DETAIL[status], tools });
  }
  return groups;
}

const DETAIL: Record<Exclude<ToolServerRecord["status"], "off" | "refused">, string> = {
  asking: "waits for your answer",
  idle: "starts when needed",
  starting: "is starting",
  ready: "",
  failed: "failed",
};

/** The names that are off after one was switched. */
export function switched(off: readonly string[], name: string, on: boolean): string[] {
  const others = off.filter((each) => each !== name);
  return on ? others : [...others, name];
}

/** How many of the known tools are on, and how many there are. */
export function countOn(groups: readonly ToolGroup[], off: readonly string[]): { on: number; all: number } {
  let on = 0;
  let all = 0;
  for (const { source, tools } of groups) {
    all += tools.length;
    if (source !== null && off.includes(source)) continue;
    on += tools.filter((tool) => !off.includes(tool)).length;
  }
  return { on, all };
}
