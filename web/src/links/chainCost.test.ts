import { describe, expect, it } from "vitest";
import type { EdgeRecord, LinkStatusRecord, NodeId } from "../wire/generated";
import { type Canvas, chainCost, chainWords } from "./chainCost";

const link = (source: string, target: string, fields: Partial<EdgeRecord> = {}) =>
  ({
    record: "edge",
    id: `${source}>${target}`,
    source,
    target,
    behavior: { kind: "injectContext" },
    automatic: true,
    ...fields,
  }) as EdgeRecord;

const file = { kind: "writeFile", path: "notes.md" } as const;

function canvas(edges: readonly EdgeRecord[], fields: Partial<Canvas> = {}): Canvas {
  const statuses = edges.map((edge) => ({ edgeId: edge.id, tokens: 1000 }) as LinkStatusRecord);
  return { edges, statuses, groupsOf: () => [], priceOf: () => 2, ...fields };
}

describe("chainCost", () => {
  it("[L3] adds up what the link and all automatic ones behind it make requests longer, each chat by all it gets", () => {
    const first = link("note", "a", { automatic: false });
    const edges = [first, link("a", "b"), link("a", "c"), link("b", "c"), link("other", "d")];
    expect(chainCost(first, canvas(edges))).toEqual({ chats: 3, tokens: 4000, usd: 0.008, unpriced: 0 });
  });

  it("[L3] ends at links that run only when asked, are pinned, or write to a file", () => {
    const first = link("note", "a");
    const ends = [
      link("a", "b", { automatic: false }),
      link("a", "c", { pinned: true }),
      link("a", "d", { behavior: file }),
      link("d", "e"),
    ];
    expect(chainCost(first, canvas([first, ...ends]))).toMatchObject({ chats: 1, tokens: 1000 });
    expect(chainCost(link("note", "a", { behavior: file }), canvas([link("a", "b")])).chats).toBe(0);
  });

  it("[L3] goes on through the groups that a chat stands on, and comes back from no circle", () => {
    const first = link("note", "a");
    const groupsOf = (node: NodeId) => (node === "a" ? ["g" as NodeId] : []);
    expect(chainCost(first, canvas([first, link("g", "b"), link("b", "a")], { groupsOf })).chats).toBe(2);
  });

  it("[L3] says what has no price", () => {
    const first = link("note", "a");
    const some = canvas([first, link("a", "b")], { priceOf: (chat) => (chat === "b" ? null : 2) });
    expect(chainWords(chainCost(first, some))).toBe(
      "Asks no model; with the links behind it, it makes requests in 2 chats about 2,000 tokens longer, one in each: " +
        "about $0.002 each time, and 1 of unknown price.",
    );
    const none = canvas([first], { priceOf: () => null });
    expect(chainWords(chainCost(first, none))).toBe(
      "Asks no model; it makes each request in the chat about 1,000 tokens longer: price not known.",
    );
    expect(chainWords({ chats: 0, tokens: 0, usd: 0, unpriced: 0 })).toBe("Writing costs no tokens.");
    expect(chainWords({ chats: 2, tokens: 9, usd: 0, unpriced: 2 })).toContain("prices not known");
  });
});
