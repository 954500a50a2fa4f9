import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../testClient";
import { TEST_IDS } from "../testIds";
import { chat, frame, put } from "../testRecords";
import type { NodeId } from "../wire/generated";
import { NodeTitle } from "./NodeTitle";

const n1 = "n1" as NodeId;

async function setUp() {
  const page = setUpClient([chat({ title: "Plan" })]);
  render(<NodeTitle node={n1} fallback="Untitled" />, { wrapper: page.Wrapper });
  await userEvent.dblClick(screen.getByTestId(TEST_IDS.chatTitle));
  const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Title" });
  return { ...page, field };
}

describe("NodeTitle", () => {
  it("[U1] shows the new title at once, while the server has not said so yet", async () => {
    const { sent, apply, acknowledge } = await setUp();
    await userEvent.keyboard("Trip{Enter}");
    expect(sent()).toEqual([{ do: "renameNode", node: n1, title: "Trip" }]);
    expect(screen.getByRole("button").textContent).toBe("Trip");
    await act(async () => acknowledge({ seq: 1 }));
    apply(frame(1, put(chat({ title: "Trip" }))));
    await waitFor(() => expect(screen.getByRole("button").textContent).toBe("Trip"));
  });

  it("[X5] gives a title that was refused back into the field", async () => {
    const { refuse } = await setUp();
    await userEvent.keyboard("Trip{Enter}");
    refuse("The disk is full.");
    await waitFor(() => expect(screen.getByRole<HTMLInputElement>("textbox").value).toBe("Trip"));
    await userEvent.keyboard("{Escape}");
    expect(screen.getByRole("button").textContent).toBe("Plan");
  });

  it("[U3] leaves the input method's Enter to it", async () => {
    const { field, sent } = await setUp();
    fireEvent.change(field, { target: { value: "旅" } });
    fireEvent.compositionEnd(field);
    fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
    expect(sent()).toEqual([]);
    fireEvent.keyUp(field, { key: "Enter" });
    fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
    expect(sent()).toEqual([{ do: "renameNode", node: n1, title: "旅" }]);
  });
});
