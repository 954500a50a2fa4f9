import { describe, expect, it } from "vitest";
import { provider } from "../../testRecords";
import { MOST_PER_GROUP, modelChoices } from "./modelChoices";

const openai = provider({ models: [{ id: "gpt-5" }, { id: "gpt-5-mini", name: "Small" }] });
const local = provider({ provider: "local", name: "Local model", origin: "local", model: "SmolLM2" });

const offered = (query: string) =>
  modelChoices([openai, local], query).map((group) => [
    group.provider.name,
    ...group.choices.map((choice) => (choice.typed ? `typed ${choice.model}` : choice.model)),
  ]);

describe("modelChoices", () => {
  it("[U1] groups all models by provider, a provider's own model first", () => {
    expect(offered("")).toEqual([
      ["OpenAI", "gpt-5", "gpt-5-mini"],
      ["Local model", "SmolLM2"],
    ]);
  });

  it("[W15] offers no model that is hidden, but one can be named", () => {
    const hidden = [{ provider: openai.provider, model: "gpt-5" }];
    const shown = (query: string) =>
      modelChoices([openai], query, hidden).flatMap((group) => group.choices.map((choice) => choice.model));
    expect(shown("")).toEqual(["gpt-5-mini"]);
    expect(shown("gpt-5")).toEqual(["gpt-5-mini", "gpt-5"]);
  });

  it("finds by every word in id, name or provider", () => {
    expect(offered("openai small")).toEqual([["OpenAI", "gpt-5-mini"]]);
    expect(offered("local model")).toEqual([["Local model", "SmolLM2"]]);
  });

  it("[U1] offers what is typed as a model id, but not to the embedded model", () => {
    expect(offered("gpt-6")).toEqual([["OpenAI", "typed gpt-6"]]);
    expect(offered("gpt-5")).toEqual([["OpenAI", "gpt-5", "gpt-5-mini"]]);
  });

  it("draws no more than a list can bear, and says how many are left", () => {
    const many = provider({ models: Array.from({ length: 400 }, (_, index) => ({ id: `model-${index}` })) });
    const [group] = modelChoices([many], "");
    expect([group?.choices.length, group?.left]).toEqual([MOST_PER_GROUP, 400 - MOST_PER_GROUP]);
  });
});
