import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { setUpClient } from "../testClient";
import { provider } from "../testRecords";
import { ProviderForm } from "./ProviderForm";

const vendors = [
  { id: "openai", name: "OpenAI", api: "openai", baseUrl: "https://api.openai.com/v1", keyVariable: "OPENAI_API_KEY" },
  { id: "anthropic", name: "Anthropic", api: "anthropic", baseUrl: "https://api.anthropic.com" },
];

function setUp(record: Parameters<typeof ProviderForm>[0]["provider"] = null) {
  const client = setUpClient([], { vendors });
  const done = vi.fn();
  render(<ProviderForm provider={record} onDone={done} />, { wrapper: client.Wrapper });
  return { ...client, done };
}

describe("ProviderForm", () => {
  it("adds a well-known service by its key alone, and tests it", async () => {
    const { sent, acknowledge, done } = setUp();
    await userEvent.selectOptions(screen.getByLabelText("Service"), "anthropic");
    await userEvent.type(screen.getByLabelText("Key"), " sk-1 ");
    await userEvent.click(screen.getByText("Add and test"));
    expect(sent()).toEqual([
      {
        do: "saveProvider",
        name: "Anthropic",
        api: "anthropic",
        baseUrl: "https://api.anthropic.com",
        model: "",
        key: "sk-1",
      },
    ]);
    acknowledge({ made: ["anthropic-1"] });
    await waitFor(() => expect(sent()[1]).toEqual({ do: "refreshProvider", provider: "anthropic-1" }));
    expect(done).toHaveBeenCalledOnce();
  });

  it("[X2] keeps the stored key unless another is typed, and never shows it", async () => {
    const { sent } = setUp(provider({ keyHint: "…f3a9", model: "gpt-5" }));
    expect(screen.getByLabelText<HTMLInputElement>("Key").value).toBe("");
    await userEvent.click(screen.getByText("Save"));
    expect(sent()).toEqual([
      {
        do: "saveProvider",
        provider: "openai",
        name: "OpenAI",
        api: "openai",
        baseUrl: "https://api.openai.com/v1",
        model: "gpt-5",
      },
    ]);
  });

  it("[X2] removes the stored key when asked to", async () => {
    const { sent } = setUp(provider({ keyHint: "…f3a9" }));
    await userEvent.click(screen.getByLabelText("Remove the stored key"));
    await userEvent.click(screen.getByText("Save"));
    expect(sent()[0]).toMatchObject({ key: "" });
  });

  it("[X5] shows why it was refused and keeps what was typed", async () => {
    const { refuse, done } = setUp();
    await userEvent.type(screen.getByLabelText("Key"), "sk-1");
    await userEvent.click(screen.getByText("Add and test"));
    refuse("This address is not one.", "Copy it from the service's pages.");
    await waitFor(() => expect(screen.getByRole("alert").textContent).toContain("Copy it"));
    expect(screen.getByLabelText<HTMLInputElement>("Key").value).toBe("sk-1");
    expect(done).not.toHaveBeenCalled();
  });
});
