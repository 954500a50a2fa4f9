import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { chat, provider, settings } from "../../testRecords";
import type { NodeId } from "../../wire/generated";
import { FanOutDialog } from "./FanOutDialog";
import { MergeDialog } from "./MergeDialog";

const records = [
  chat({ id: "n1", title: "One" }),
  chat({ id: "n2", title: "Two" }),
  settings(),
  provider({ isDefault: true, model: "gpt-5" }),
];
const WORDS = "With this message the chat has about 9,000 tokens; gpt-5 can take in 8,000.";

it("[C7] asks for a fan-out that is too long what Send asks, and sends what was chosen", async () => {
  const test = setUpClient(records);
  render(<FanOutDialog nodes={["n1" as NodeId]} at={undefined} onClose={vi.fn()} />, { wrapper: test.Wrapper });
  await userEvent.type(screen.getByTestId(TEST_IDS.fanOutText), "hello");
  await userEvent.click(screen.getByTestId(TEST_IDS.fanOutSend));
  test.refuse(WORDS, "", "context_full");
  expect((await screen.findByRole("alert")).textContent).toContain("8,000");
  await userEvent.click(screen.getByTestId(TEST_IDS.leaveOut));
  expect(test.sent().at(-1)).toEqual({ ...test.sent()[0], whenFull: "trim" });
  test.refuse("chat already running for this node");
  await waitFor(() => expect(screen.getByRole("alert").textContent).toContain("already running"));
  expect(screen.queryByTestId(TEST_IDS.sendAll)).toBeNull();
});

it("[C7] asks for a merge that is too long what Send asks, and sends what was chosen", async () => {
  const test = setUpClient(records);
  const nodes = ["n1", "n2"] as unknown as readonly NodeId[];
  const onClose = vi.fn();
  render(<MergeDialog nodes={nodes} at={undefined} onClose={onClose} />, { wrapper: test.Wrapper });
  await userEvent.click(screen.getByTestId(TEST_IDS.mergeSend));
  test.refuse(WORDS, "", "context_full");
  await userEvent.click(await screen.findByTestId(TEST_IDS.sendAll));
  expect(test.sent().at(-1)).toEqual({ ...test.sent()[0], whenFull: "send" });
  test.acknowledge();
  await waitFor(() => expect(onClose).toHaveBeenCalled());
});
