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

/** `950 B`, `1.2 kB`, `34 MB`, `65 GB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_500) return `${scaled(bytes / 1_000, "")} kB`;
  if (bytes < 999_500_000) return `${scaled(bytes / 1_000_000, "")} MB`;
  return `${scaled(bytes / 1_000_000_000, "")} GB`;
}

/** `90 ms`, `1.2 s`, `34 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_500) return `${scaled(ms / 1_000, "")} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * An amount in dollars, in the server's words: cents from ten cents up, three significant digits below, never `$0.00` for
 * something. `down` for what is said to be at least so much.
 */
export function amount(usd: number, down = false): string {
  const digits = usd === 0 || usd >= 0.1 ? 2 : Math.min(20, 2 - Math.floor(Math.log10(usd)));
  const scale = 10 ** digits;
  // Twelve digits, for the last ones of a double are noise, and would be cut off or rounded up.
  const scaledUsd = Number((usd * scale).toPrecision(12));
  const rounded = (down ? Math.floor(scaledUsd) : Math.round(scaledUsd)) / scale;
  const [whole = "0", fraction = ""] = rounded.toFixed(digits).split(".");
  return `$${Number(whole).toLocaleString("en")}.${fraction.replace(/0+$/, "").padEnd(2, "0")}`;
}

function scaled(value: number, unit: string): string {
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
}
