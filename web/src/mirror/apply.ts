/** What one change does to the records: the three cases of the wire, nothing else. */
import { owned } from "../owned";
import type { Change, WireRecord } from "../wire/generated";

export type Records = Map<string, WireRecord>;

/** Applies one change and returns the id it touched. A record that is not touched keeps its identity. */
export function applyChange(records: Records, change: Change): string {
  switch (change.op) {
    case "put":
      records.set(change.value.id, change.value);
      return change.value.id;
    case "remove":
      records.delete(change.id);
      return change.id;
    case "append": {
      const before = records.get(change.id);
      if (!before) throw new Error(`append to ${change.id}, which is not there`);
      const text = (before as unknown as Readonly<Record<string, unknown>>)[change.field];
      // Fields at their default do not cross the wire, so an absent text is an empty one.
      const known = typeof text === "string" ? text : "";
      const grown = known + change.text;
      // Thousands of small pieces take many times the memory of their text: now and then they are made one again.
      const whole = grown.length >> 10 === known.length >> 10 ? grown : owned(grown);
      records.set(change.id, { ...before, [change.field]: whole } as WireRecord);
      return change.id;
    }
    default:
      change satisfies never;
      throw new Error("a change that this page does not know");
  }
}
