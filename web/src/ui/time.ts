/** Moments in words, by the reader's own clock and language. */

/** `14:05`, and the day with it when it was not today. `ts` is epoch milliseconds. */
export function shortTime(ts: number, now = Date.now()): string {
  const moment = new Date(ts);
  const time = moment.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  if (moment.toDateString() === new Date(now).toDateString()) return time;
  return `${moment.toLocaleDateString(undefined, { day: "numeric", month: "short" })}, ${time}`;
}

/** The whole of it, for a tip. */
export function fullTime(ts: number): string {
  return new Date(ts).toLocaleString(undefined, { dateStyle: "full", timeStyle: "medium" });
}
