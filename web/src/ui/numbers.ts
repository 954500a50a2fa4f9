/** Numbers in words, short enough for a chip. */

/** `950`, `1.2k`, `34k`, `1.2M`. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return scaled(count / 1_000, "k");
  return scaled(count / 1_000_000, "M");
}

/** `12,345`. */
export function fullCount(count: number): string {
  return count.toLocaleString("en");
}

function scaled(value: number, unit: string): string {
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
}
