/** A receipt as rows to read: what was sent, by source; pure. */
import type { Receipt, ReceiptPart, ReceiptSource } from "../../wire/generated";

export interface ReceiptRow {
  readonly source: ReceiptSource;
  readonly words: string;
  /** Names of files and tools, or ids of the nodes that links come from. */
  readonly names: readonly string[];
  /** Null: nobody can tell before the provider does. */
  readonly tokens: number | null;
}

const WORDS: Readonly<Record<ReceiptSource, readonly [one: string, many: string]>> = {
  system: ["System prompt", "System prompts"],
  you: ["Message of yours", "Messages of yours"],
  replies: ["Earlier reply", "Earlier replies"],
  tools: ["Tool call and its result", "Tool calls and their results"],
  links: ["Linked text", "Linked texts"],
  files: ["File", "Files"],
  toolList: ["Tool it was told of", "Tools it was told of"],
};

export function receiptRows(receipt: Receipt): readonly ReceiptRow[] {
  return receipt.parts.map((part) => ({
    source: part.source,
    words: partWords(part),
    names: part.names ?? [],
    tokens: part.tokens ?? null,
  }));
}

function partWords({ source, count }: ReceiptPart): string {
  const [one, many] = WORDS[source];
  if (count === 1) return one;
  return `${count} ${many.charAt(0).toLowerCase()}${many.slice(1)}`;
}
