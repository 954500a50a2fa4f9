import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { frame, provider, put, settings } from "../../testRecords";
import type { SettingsRecord } from "../../wire/generated";
import { ProviderSettings } from "../ProviderSettings";
import { ModelSettings } from "./ModelSettings";

const OPENAI = provider({
  models: [
    { id: "gpt-5", contextTokens: 400_000, inputUsd: "1.25", outputUsd: "10" },
    { id: "gpt-5-mini", name: "Small" },
  ],
  isDefault: true,
  model: "gpt-5",
});

function setUp(fields: Partial<SettingsRecord> = {}) {
  const client = setUpClient([OPENAI, settings(fields)]);
  render(<ModelSettings />, { wrapper: client.Wrapper });
  return client;
}

const rows = () => screen.getAllByTestId(TEST_IDS.modelRow);
const button = (name: string) => screen.getByRole("button", { name });

describe("ModelSettings", () => {
  it("[P3] shows each model's context and price, and that nothing is known of one", () => {
    setUp();
    expect(rows().map((row) => row.textContent)).toEqual([
      "gpt-5400k · $1.25 / $10Price",
      "gpt-5-miniSmallprice and context unknownPrice",
    ]);
  });

  it("[W15] says which model new chats ask and lets another one be chosen", async () => {
    const { sent } = setUp();
    expect(button("New chats ask gpt-5").getAttribute("aria-pressed")).toBe("true");
    await userEvent.click(button("Let new chats ask gpt-5-mini"));
    expect(sent()).toEqual([{ do: "changeSettings", defaultProvider: "openai", defaultModel: "gpt-5-mini" }]);
  });

  it("[W15] hides a model, and shows at once that it is hidden", async () => {
    const { sent, apply } = setUp();
    await userEvent.click(button("Hide gpt-5"));
    const hiddenModels = [{ provider: OPENAI.provider, model: "gpt-5" }];
    expect(sent()).toEqual([{ do: "changeSettings", hiddenModels }]);
    apply(frame(1, put(settings({ hiddenModels }))));
    await userEvent.click(button("Offer gpt-5 again"));
    expect(sent()[1]).toEqual({ do: "changeSettings", hiddenModels: [] });
  });

  it("[P2] sets one's own price right there, beside the other prices", async () => {
    const other = { prefix: "claude", input: "3", output: "15" };
    const { sent } = setUp({ priceOverrides: [other] });
    await userEvent.click(button("Set the price of gpt-5"));
    await userEvent.clear(screen.getByLabelText("Output price of gpt-5"));
    await userEvent.keyboard("eleven{Enter}");
    expect(screen.getByRole("alert")).toBeDefined();
    await userEvent.clear(screen.getByLabelText("Output price of gpt-5"));
    await userEvent.keyboard("11{Enter}");
    expect(sent()).toEqual([
      { do: "changeSettings", priceOverrides: [other, { prefix: "gpt-5", input: "1.25", output: "11" }] },
    ]);
  });

  it("[P2] drops one's own price", async () => {
    const { sent } = setUp({ priceOverrides: [{ prefix: "gpt-5", input: "1", output: "2" }] });
    await userEvent.click(button("Set the price of gpt-5"));
    await userEvent.click(button("Drop my price"));
    expect(sent()).toEqual([{ do: "changeSettings", priceOverrides: [] }]);
  });

  it("[U1] finds models by their words", async () => {
    setUp();
    await userEvent.type(screen.getByLabelText("Search models"), "small");
    expect(rows().map((row) => within(row).getByText("gpt-5-mini").textContent)).toEqual(["gpt-5-mini"]);
  });
});

describe("ProviderSettings", () => {
  it("[W15] orders providers", async () => {
    const local = provider({ provider: "local", name: "Local model", origin: "local", place: 1 });
    const { Wrapper, sent, apply } = setUpClient([local, OPENAI, settings()]);
    render(<ProviderSettings startsAdding={false} />, { wrapper: Wrapper });
    const shown = () => screen.getAllByRole("listitem").map((row) => row.textContent?.slice(0, 6));
    expect(shown()).toEqual(["OpenAI", "Local "]);
    await userEvent.click(button("Move Local model up"));
    expect(sent()).toEqual([{ do: "changeSettings", providerOrder: ["local", "openai"] }]);
    apply(frame(1, put({ ...local, place: 0 }), put({ ...OPENAI, place: 1 })));
    expect(shown()).toEqual(["Local ", "OpenAI"]);
  });
});
