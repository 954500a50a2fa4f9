/** What a link, and the automatic ones that follow it, would add to requests and their cost; pure (L3). */
import { amount } from "../ui/numbers";
import type { EdgeRecord, LinkStatusRecord, NodeId } from "../wire/generated";

export interface Canvas {
  readonly edges: readonly EdgeRecord[];
  readonly statuses: readonly LinkStatusRecord[];
  /** The groups that a node stands on: what it says, they say. */
  readonly groupsOf: (node: NodeId) => readonly NodeId[];
  /** US dollars for a million tokens in, of the model that a chat would ask; null where it has no price. */
  readonly priceOf: (chat: NodeId) => number | null;
}

export interface ChainCost {
  readonly chats: number;
  /** Of one request in each of them together. */
  readonly tokens: number;
  readonly usd: number;
  /** Chats whose model has no price. */
  readonly unpriced: number;
}

export function chainCost(first: EdgeRecord, canvas: Canvas): ChainCost {
  const tokensIn = new Map<NodeId, number>();
  const seen = new Set([first.id]);
  const waiting = [first];
  for (const link of waiting) {
    if (link.behavior?.kind === "writeFile") continue;
    const tokens = canvas.statuses.find((status) => status.edgeId === link.id)?.tokens ?? 0;
    tokensIn.set(link.target, (tokensIn.get(link.target) ?? 0) + tokens);
    const speaking = [link.target, ...canvas.groupsOf(link.target)];
    for (const next of canvas.edges) {
      if (seen.has(next.id) || !next.automatic || next.pinned || !next.behavior || !speaking.includes(next.source))
        continue;
      seen.add(next.id);
      waiting.push(next);
    }
  }
  let [tokens, usd, unpriced] = [0, 0, 0];
  for (const [chat, added] of tokensIn) {
    const price = canvas.priceOf(chat);
    tokens += added;
    if (price === null) unpriced += 1;
    else usd += (added * price) / 1e6;
  }
  return { chats: tokensIn.size, tokens, usd, unpriced };
}

/** A link asks no model; what it adds is paid for with each request of the chats behind it. */
export function chainWords({ chats, tokens, usd, unpriced }: ChainCost): string {
  if (chats === 0) return "Writing costs no tokens.";
  const size = `about ${tokens.toLocaleString("en")} ${tokens === 1 ? "token" : "tokens"} longer`;
  if (chats === 1) {
    const cost = unpriced ? "price not known" : `about ${amount(usd)} each time`;
    return `Asks no model; it makes each request in the chat ${size}: ${cost}.`;
  }
  const known = unpriced === chats ? "prices not known" : `about ${amount(usd)} each time`;
  const rest = unpriced > 0 && unpriced < chats ? `, and ${unpriced} of unknown price` : "";
  return `Asks no model; with the links behind it, it makes requests in ${chats} chats ${size}, one in each: ${known}${rest}.`;
}
