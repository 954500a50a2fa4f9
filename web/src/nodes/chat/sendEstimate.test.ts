import { describe, expect, it } from "vitest";
import { provider, totals } from "../../testRecords";
import type { Attachment } from "../../wire/generated";
import { fileKind, filesNotTaken } from "./fileKinds";
import { modelFacts } from "./modelChoices";
import { estimateWords, sendEstimate } from "./sendEstimate";

const file = (mediaType: string, sizeBytes = 400): Attachment => ({
  id: mediaType,
  name: "a",
  mediaType,
  sizeBytes,
  digest: "a",
});

describe("sendEstimate", () => {
  it("[U1] counts what the chat holds, the text and the files, by the model's price", () => {
    const info = { id: "m", inputUsd: "2.5", outputUsd: "10", contextTokens: 128_000 };
    const draft = { text: "é".repeat(8), files: [file("text/plain"), file("image/png")], system: "in the context" };
    const estimate = sendEstimate(draft, totals({ contextTokens: 896 }), info);
    expect(estimate).toEqual({ tokens: 896 + 4 + 100 + 1_000, more: false, usd: 0.005 });
    expect(estimateWords(estimate)).toBe("About 2,000 tokens in, about $0.005 without the answer");
  });

  it("[U1] says so where a size or a price is not known", () => {
    const estimate = sendEstimate(
      { text: "abcd", files: [file("application/pdf")], system: "abcd" },
      undefined,
      undefined,
    );
    expect(estimate).toEqual({ tokens: 2, more: true, usd: null });
    expect(estimateWords(estimate)).toBe("More than 2 tokens in, price not known");
  });
});

describe("filesNotTaken", () => {
  it("[U11] says before sending what a model or its provider takes no files of", () => {
    const files = [file("image/png"), file("application/pdf"), file("text/plain"), file("application/zip")];
    const local = provider({ name: "Local", takes: ["text"] });
    expect(filesNotTaken(files, local, undefined)).toBe(
      "Local takes no images and no PDF files: it will be told the name alone.",
    );
    expect(filesNotTaken(files, provider({ takes: ["text", "image", "document"] }), undefined)).toBe("");
    const blind = { id: "m1", name: "Model One", takes: ["text"] as const };
    expect(filesNotTaken([file("image/png")], provider({ takes: ["text", "image"] }), blind)).toBe(
      "Model One takes no images: it will be told the name alone.",
    );
    expect(filesNotTaken(files, undefined, undefined)).toBe("");
  });

  it("knows kinds by their types", () => {
    const types = ["image/png", "application/pdf", "audio/mpeg", "text/csv; charset=utf-8", "application/json", ""];
    expect(types.map(fileKind)).toEqual(["image", "document", "audio", "text", "text", null]);
  });
});

describe("modelFacts", () => {
  it("[U1] tells a model's window and prices where they are known", () => {
    const facts = modelFacts({ id: "m", contextTokens: 128_000, inputUsd: "2.5", outputUsd: "10" });
    expect(facts.short).toBe("128k · $2.50 / $10");
    expect(facts.long).toBe("a context of 128,000 tokens, $2.50 for a million tokens in, $10 for a million out");
    expect(modelFacts({ id: "m", inputUsd: "0.075", outputUsd: "0.3" }).short).toBe("$0.075 / $0.30");
    expect(modelFacts({ id: "m", inputUsd: "0", outputUsd: "0" }).short).toBe("free");
    expect(modelFacts({ id: "m" }).short).toBe("");
    expect(modelFacts(undefined).short).toBe("");
  });
});
