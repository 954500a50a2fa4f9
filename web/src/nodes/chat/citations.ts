/** Which of the numbered parts of a merge a reply cites; pure. */
import type { MessageRecord } from "../../wire/generated";

export interface Citation {
  readonly number: number;
  /** The message that carries the part in this chat. */
  readonly given: MessageRecord;
}

const IN_CODE = /(`{3,}|~{3,})[\s\S]*?(?:\1|$)|`[^`\n]*`/g;
const NUMBERS = /\[(\d{1,2}(?:\s*[,;]\s*\d{1,2})*)\](?!\()/g;

/** The numbered parts that a chat was given, by their numbers. */
export function numberedParts(earlier: readonly MessageRecord[]): ReadonlyMap<number, MessageRecord> {
  return new Map(earlier.flatMap((given) => (given.source?.number ? [[given.source.number, given]] : [])));
}

/** In the order of their numbers, each once. `earlier`: the messages before the reply. */
export function citationsIn(text: string, earlier: readonly MessageRecord[]): readonly Citation[] {
  const parts = numberedParts(earlier);
  if (parts.size === 0) return [];
  const cited = new Set<number>();
  for (const [, numbers = ""] of text.replace(IN_CODE, "").matchAll(NUMBERS)) {
    for (const number of numbers.split(/[,;]/)) cited.add(Number(number));
  }
  return [...cited]
    .sort((left, right) => left - right)
    .flatMap((number) => {
      const given = parts.get(number);
      return given ? [{ number, given }] : [];
    });
}
