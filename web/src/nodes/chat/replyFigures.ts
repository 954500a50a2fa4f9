/** What one reply used and cost, over all the provider calls that it is drawn from (M4, P5); pure. */
import { amount, duration } from "../../ui/numbers";
import type { MessageRecord } from "../../wire/generated";

export interface ReplyFigures {
  /** Absent where no call has told its tokens. */
  readonly tokens?: { readonly input: number; readonly output: number; readonly estimated: boolean };
  /** In words; empty where nothing is known of the cost. */
  readonly cost: string;
  readonly costDetail: string;
  /** How long its provider calls took, together; absent where nobody looked at a clock. */
  readonly timing?: { readonly totalMs: number; readonly words: string };
}

export function replyFigures(messages: readonly MessageRecord[]): ReplyFigures {
  const used = messages.flatMap(({ usage }) => (usage ? [usage] : []));
  const costs = messages.flatMap(({ cost }) => (cost ? [cost] : []));
  const priced = costs.filter(({ source }) => source !== "unpriced");
  const usd = priced.reduce((sum, cost) => sum + Number(cost.usd), 0);
  const sources = [...new Set(priced.map(({ source }) => source))].join(", ");
  return {
    ...(used.length > 0 && {
      tokens: {
        input: used.reduce((sum, usage) => sum + usage.inputTokens, 0),
        output: used.reduce((sum, usage) => sum + usage.outputTokens, 0),
        estimated: used.some((usage) => usage.estimated),
      },
    }),
    ...timingOf(messages),
    cost: costs.length === 0 ? "" : costWords(usd, priced.length, costs.length),
    costDetail: sources ? `Cost of this reply, by ${sources}` : "No price is known for this model",
  };
}

function timingOf(messages: readonly MessageRecord[]): Pick<ReplyFigures, "timing"> {
  const timings = messages.flatMap(({ timing }) => (timing ? [timing] : []));
  const first = messages[0]?.timing?.firstMs;
  if (timings.length === 0) return {};
  const totalMs = timings.reduce((sum, timing) => sum + timing.totalMs, 0);
  const waitMs = timings.reduce((sum, timing) => sum + (timing.firstMs ?? timing.totalMs), 0);
  const output = messages.reduce((sum, { usage }) => sum + (usage?.outputTokens ?? 0), 0);
  const perSecond = totalMs > waitMs ? Math.round((output * 1_000) / (totalMs - waitMs)) : 0;
  const words = [
    `Took ${duration(totalMs)}`,
    timings.length > 1 ? `in ${timings.length} provider calls` : "",
    first == null ? "" : `first word after ${duration(first)}`,
    perSecond > 0 ? `then ${perSecond} tokens a second` : "",
  ];
  return { timing: { totalMs, words: words.filter(Boolean).join(", ") } };
}

function costWords(usd: number, priced: number, all: number): string {
  if (priced === 0) return "n/a";
  return priced < all ? `at least ${amount(usd, true)}` : amount(usd);
}

/** The messages that are drawn as one reply and end with `last`: the provider calls of one turn, one after another. */
export function messagesOfReply(before: readonly MessageRecord[], last: MessageRecord): readonly MessageRecord[] {
  const reply = [last];
  for (let at = before.length - 1; at >= 0; at--) {
    const message = before[at];
    if (!last.turn || message?.role !== "assistant" || message.turn !== last.turn) break;
    reply.unshift(message);
  }
  return reply;
}
