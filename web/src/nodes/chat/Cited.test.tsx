import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { chat, message, sticky } from "../../testRecords";
import type { MessageRecord, NodeId, WireRecord } from "../../wire/generated";
import { MessageList } from "./MessageList";

const record = (fields: Partial<MessageRecord>) => message(fields as Parameters<typeof message>[0]);

const given = record({
  id: "g1" as MessageRecord["id"],
  index: 0,
  content: "[1] My notes\n\nstay",
  source: { node: "s1" as NodeId, number: 1 },
});

function shown(content: string, ...more: WireRecord[]) {
  const client = setUpClient([
    chat(),
    ...more,
    record({ id: "a1" as MessageRecord["id"], index: 1, role: "assistant", finish: "stop", content }),
  ]);
  render(<MessageList node={"n1" as NodeId} />, { wrapper: client.Wrapper });
  return client;
}

it("[L4] makes each number that cites a part a way to where it was said, and no other", async () => {
  const { client } = shown(
    "Stay [1], **as [1, 7] say**, not `[1]` or [1](https://example.org) or [9].",
    sticky({ title: "My notes" }),
    given,
  );
  const numbers = await screen.findAllByTestId(TEST_IDS.citedNumber);
  expect(numbers.map((each) => each.textContent)).toEqual(["[1]", "1"]);
  expect(screen.getByText(/^Stay/).textContent).toBe("Stay [1], as [1, 7] say, not [1] or 1 or [9].");
  const led: NodeId[] = [];
  client.spotlight.subscribe((node) => led.push(node));
  await userEvent.click(numbers[0] as HTMLElement);
  expect(led).toEqual(["s1"]);
});

it("[L4] leaves numbers alone where nothing was numbered", async () => {
  shown("Stay [1].");
  expect(await screen.findByText("Stay [1].")).toBeTruthy();
  expect(screen.queryByTestId(TEST_IDS.citedNumber)).toBeNull();
});

it("[L4] tells sources of one name apart by the models that said them", async () => {
  const part = (number: number, model: string) => [
    chat({ id: `c${number}`, title: number === 3 ? `Plan · ${model}` : "Plan" }),
    record({ id: `r${number}` as MessageRecord["id"], nodeId: `c${number}` as NodeId, role: "assistant", model }),
    record({
      id: `g${number}` as MessageRecord["id"],
      index: 0,
      content: "x",
      source: { node: `c${number}` as NodeId, message: `r${number}` as MessageRecord["id"], number },
    }),
  ];
  shown("All say so [1] [2] [3].", ...part(1, "one/gpt-5"), ...part(2, "claude"), ...part(3, "other"));
  const chips = await screen.findAllByTestId(TEST_IDS.citation);
  expect(chips.map((chip) => chip.textContent)).toEqual(["[1] Plan · gpt-5", "[2] Plan · claude", "[3] Plan · other"]);
});
