import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { OpenSettingsProvider } from "../panels/openSettings";
import { setUpClient } from "../testClient";
import { TEST_IDS } from "../testIds";
import { chat, frame, provider, put } from "../testRecords";
import type { NodeId } from "../wire/generated";
import { EmptyCanvas } from "./EmptyCanvas";

const n1 = "n1" as NodeId;
const field = () => screen.getByTestId<HTMLTextAreaElement>(TEST_IDS.firstComposer);

describe("EmptyCanvas", () => {
  it("[Z2] starts a chat with what is typed anywhere, without losing a key", async () => {
    const { Wrapper, client, sent, acknowledge, apply } = setUpClient([]);
    render(<EmptyCanvas />, { wrapper: Wrapper });
    await userEvent.keyboard("Hello{Enter}and");
    expect(sent()).toMatchObject([{ do: "addNode", kind: "chat" }]);
    apply(frame(1, put(chat())));
    acknowledge({ seq: 1, made: ["n1"] });
    await waitFor(() => expect(sent()[1]).toEqual({ do: "sendMessage", node: n1, text: "Hello" }));
    field().blur();
    await waitFor(() => expect(screen.queryByTestId(TEST_IDS.firstComposer)).toBeNull());
    expect(client.drafts.state(n1).text).toBe("and");
  });

  it("[Z2] leaves alone what was written into the chat before its first message was on its way", async () => {
    const { Wrapper, client, sent, acknowledge, apply } = setUpClient([]);
    render(<EmptyCanvas />, { wrapper: Wrapper });
    await userEvent.keyboard("Hello{Enter}");
    apply(frame(1, put(chat())));
    client.drafts.edit(n1, "quick");
    acknowledge({ seq: 1, made: ["n1"] });
    await waitFor(() => expect(sent()[1]).toEqual({ do: "sendMessage", node: n1, text: "Hello" }));
    expect(client.drafts.state(n1).text).toBe("quick");
  });

  it("[U11] starts a chat with the files that are dropped on it", async () => {
    const plan = { id: "f1", name: "plan.txt", mediaType: "text/plain", sizeBytes: 5, digest: "d" };
    const address = "/api/attachments?name=plan.txt&type=text%2Fplain";
    const { Wrapper, client, sent, acknowledge, apply } = setUpClient([], {}, { [address]: plan });
    render(<EmptyCanvas />, { wrapper: Wrapper });
    const file = new File(["words"], "plan.txt", { type: "text/plain" });
    const start = screen.getByRole("region", { name: "Start" });
    fireEvent.drop(start, { dataTransfer: { types: ["Files"], files: [file] } });
    expect(sent()).toMatchObject([{ do: "addNode", kind: "chat" }]);
    apply(frame(1, put(chat())));
    acknowledge({ seq: 1, made: ["n1"] });
    await waitFor(() => expect(client.drafts.state(n1).files).toEqual([plan]));
  });

  it("keeps the text when the chat cannot be made", async () => {
    const { Wrapper, client, refuse } = setUpClient([]);
    render(<EmptyCanvas />, { wrapper: Wrapper });
    await userEvent.type(field(), "Hello{Enter}");
    refuse("The disk is full.");
    await waitFor(() => expect(field().value).toBe("Hello"));
    expect(client.notices.list().map((notice) => notice.text)).toEqual(["The disk is full."]);
  });

  it("[Z2] says who answers, and what it takes when nobody can", async () => {
    const open = vi.fn();
    const local = provider({ provider: "local", name: "Local model", origin: "local", status: "missing" });
    const { Wrapper, apply } = setUpClient([{ ...local, message: "pip install talkfield[local]" }]);
    render(
      <OpenSettingsProvider value={open}>
        <EmptyCanvas />
      </OpenSettingsProvider>,
      { wrapper: Wrapper },
    );
    expect(screen.getByText(/pip install talkfield/)).toBeDefined();
    await userEvent.click(screen.getByText("Add a provider"));
    expect(open).toHaveBeenCalledExactlyOnceWith("providers-add");
    apply(frame(1, put({ ...local, status: "idle", model: "SmolLM2", isDefault: true })));
    expect(screen.getByText(/a small model on this machine/).textContent).toContain("SmolLM2");
    expect(screen.getByText("Add a better one")).toBeDefined();
  });

  it("is not there once there is a node", () => {
    const { Wrapper } = setUpClient([chat()]);
    render(<EmptyCanvas />, { wrapper: Wrapper });
    expect(screen.queryByTestId(TEST_IDS.firstComposer)).toBeNull();
  });
});
