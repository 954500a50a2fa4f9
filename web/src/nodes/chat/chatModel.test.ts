import { describe, expect, it } from "vitest";
import { provider, settings } from "../../testRecords";
import type { ProviderId } from "../../wire/generated";
import { chatModel, shortModel } from "./chatModel";

const openai = provider({ provider: "openai", model: "gpt-5", isDefault: true });
const other = provider({ provider: "other", name: "Other", model: "large" });
const own = (name: string) => name as ProviderId;

describe("chatModel", () => {
  it("is the default provider's model where a chat names nothing", () => {
    expect(chatModel({ kind: "chat" }, settings(), [other, openai])).toEqual({
      provider: openai,
      model: "gpt-5",
      isDefault: true,
    });
  });

  it("is the model of Settings with the provider of Settings, and only with that", () => {
    const chosen = settings({ defaultProvider: own("openai"), defaultModel: "gpt-5-mini" });
    expect(chatModel({ kind: "chat" }, chosen, [openai, other]).model).toBe("gpt-5-mini");
    expect(chatModel({ kind: "chat", provider: own("other") }, chosen, [openai, other]).model).toBe("large");
  });

  it("is what the chat names, whoever the default is", () => {
    const data = { kind: "chat", provider: own("other"), model: "small" } as const;
    expect(chatModel(data, settings(), [openai, other])).toEqual({ provider: other, model: "small", isDefault: false });
  });

  it("is nobody where there is no provider", () => {
    expect(chatModel({ kind: "chat" }, undefined, [])).toEqual({ provider: undefined, model: "", isDefault: true });
  });
});

describe("shortModel", () => {
  it("leaves the vendor's path out", () => {
    expect([shortModel("openai/gpt-5"), shortModel("gpt-5"), shortModel("")]).toEqual(["gpt-5", "gpt-5", ""]);
  });
});
