import { describe, expect, it } from "vitest";
import { message } from "../../testRecords";
import { messagesOfReply, replyFigures } from "./replyFigures";

const reply = (fields: Parameters<typeof message>[0] = {}) => message({ role: "assistant", turn: "t1", ...fields });
const priced = (usd: string) => ({ usd, source: "table" }) as const;

describe("replyFigures", () => {
  it("[M4] sums the provider calls of one reply", () => {
    const figures = replyFigures([
      reply({ usage: { inputTokens: 100, outputTokens: 5 }, cost: priced("0.02") }),
      reply({ usage: { inputTokens: 200, outputTokens: 7, estimated: true }, cost: priced("0.03") }),
    ]);
    expect(figures).toEqual({
      tokens: { input: 300, output: 12, estimated: true },
      cost: "$0.05",
      costDetail: "Cost of this reply, by table",
    });
  });

  it("[P5] says that it is at least so much where a call had no price", () => {
    const unpriced = { usd: "0", source: "unpriced" } as const;
    expect(replyFigures([reply({ cost: priced("0.004") }), reply({ cost: unpriced })]).cost).toBe("at least $0.004");
  });

  it("[P4] says n/a without any price, and nothing where nothing is known", () => {
    expect(replyFigures([reply({ cost: { usd: "0", source: "unpriced" } })]).cost).toBe("n/a");
    expect(replyFigures([reply()])).toMatchObject({ cost: "" });
  });
});

describe("messagesOfReply", () => {
  it("[M4] takes the assistant's messages of the turn, as far as nothing else stands between", () => {
    const [asked, first, note] = [message({ turn: "t1" }), reply({ id: "m2" }), message({ role: "note", turn: "t1" })];
    const last = reply({ id: "m4" });
    expect(messagesOfReply([asked, first], last)).toEqual([first, last]);
    expect(messagesOfReply([asked, first, note], last)).toEqual([last]);
  });

  it("takes no other message where the turn is not known", () => {
    const imported = message({ id: "m4", role: "assistant" });
    expect(messagesOfReply([message({ role: "assistant" })], imported)).toEqual([imported]);
  });
});
