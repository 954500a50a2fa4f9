import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../testClient";
import { TEST_IDS } from "../testIds";
import { frame, put, settings } from "../testRecords";
import { PriceSettings } from "./PriceSettings";

const gpt = { prefix: "gpt", input: "1", output: "2" };
const opus = { prefix: "opus", input: "3", output: "4" };

function setUp() {
  const page = setUpClient([settings({ priceOverrides: [gpt] })]);
  render(<PriceSettings />, { wrapper: page.Wrapper });
  const status = () => screen.getByRole("status").textContent;
  const prefixes = () => screen.getAllByLabelText<HTMLInputElement>("Model id begins with").map((field) => field.value);
  return { ...page, status, prefixes };
}

describe("PriceSettings", () => {
  it("[P2] never calls saved what was edited while the answer was on its way", async () => {
    const { sent, acknowledge, status } = setUp();
    await userEvent.type(screen.getByLabelText("Input"), "5");
    await userEvent.click(screen.getByTestId(TEST_IDS.pricesSave));
    await userEvent.type(screen.getByLabelText("Input"), "0");
    await act(async () => acknowledge());
    expect(status()).toBe("");
    await userEvent.click(screen.getByTestId(TEST_IDS.pricesSave));
    await act(async () => acknowledge());
    await waitFor(() => expect(status()).toBe("Saved"));
    expect(sent()).toEqual(
      ["15", "150"].map((input) => ({ do: "changeSettings", priceOverrides: [{ ...gpt, input }] })),
    );
  });

  it("[W15] shows what another tab has saved, as long as nothing is edited here", async () => {
    const { apply, prefixes } = setUp();
    apply(frame(1, put(settings({ priceOverrides: [gpt, opus] }))));
    expect(prefixes()).toEqual(["gpt", "opus"]);
    await userEvent.type(screen.getAllByLabelText("Input")[0] as HTMLElement, "5");
    apply(frame(2, put(settings({ priceOverrides: [opus] }))));
    expect(prefixes()).toEqual(["gpt", "opus"]);
  });
});
