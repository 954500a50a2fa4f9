import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { setUpClient } from "../../testClient";
import { chat } from "../../testRecords";
import type { NodeId } from "../../wire/generated";
import { SendToAllDialog } from "./SendToAllDialog";

const nodes = ["n1", "n2"] as unknown as readonly NodeId[];

it("[L4] sends to each chat as if it had been typed there, and again only to those that did not take it", async () => {
  const test = setUpClient([chat({ id: "n1", title: "One" }), chat({ id: "n2", title: "Two" })]);
  const onClose = vi.fn();
  render(<SendToAllDialog nodes={nodes} at={undefined} onClose={onClose} />, { wrapper: test.Wrapper });
  await userEvent.type(screen.getByLabelText("Message for all of them"), "hello");
  await userEvent.click(screen.getByText("Send to 2 chats"));
  expect(test.sent()).toEqual([{ do: "sendMessage", node: "n1", text: "hello" }]);
  test.acknowledge();
  await waitFor(() => expect(test.sent()).toHaveLength(2));
  test.refuse("chat already running for this node");
  expect((await screen.findByRole("alert")).textContent).toContain("already running");
  expect(screen.queryByText("One")).toBeNull();
  expect(onClose).not.toHaveBeenCalled();
  await userEvent.click(screen.getByText("Send to 1 chat"));
  expect(test.sent().at(-1)).toEqual({ do: "sendMessage", node: "n2", text: "hello" });
  test.acknowledge();
  await waitFor(() => expect(onClose).toHaveBeenCalled());
});
