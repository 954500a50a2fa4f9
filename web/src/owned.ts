/**
 * The same value with strings that hold nothing else in memory. A part of a text keeps the whole text alive in today's
 * engines, and with each token there is another whole text: what is kept of one must not keep it. What React has drawn
 * counts as kept: it stays with the first of several equal texts.
 */
export function owned<Value>(value: Value): Value {
  if (typeof value === "string") return ` ${value}`.slice(1) as Value;
  if (Array.isArray(value)) return value.map(owned) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, owned(part)])) as Value;
}
