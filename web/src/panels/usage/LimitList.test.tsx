import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { chat, frame, put } from "../../testRecords";
import type { BudgetRecord, MessageId, NodeId, RecordId } from "../../wire/generated";
import { LimitList } from "./LimitList";

function budget(node: string | null, fields: Partial<BudgetRecord>): BudgetRecord {
  const owner = node === null ? {} : { nodeId: node as NodeId };
  return { record: "budget", id: `budget:${node ?? "project"}` as RecordId, ...owner, ...fields };
}

const rows = () => screen.queryAllByTestId(TEST_IDS.usageLimit).map((row) => row.textContent);

it("[P8] shows each limit that is set, the project's first, with what is spent and held of it", async () => {
  const onClose = vi.fn();
  const page = setUpClient([
    chat({ id: "n1", title: "Plans" }),
    budget("n1", { limitUsd: "1", spentUsd: "0.84", held: { ["m1" as MessageId]: "0.1" } }),
    budget("gone", { limitUsd: "3" }),
    budget("n2", { spentUsd: "5" }),
    budget(null, { limitUsd: "10", spentUsd: "2" }),
  ]);
  render(<LimitList onClose={onClose} />, { wrapper: page.Wrapper });
  expect(rows()).toEqual([
    "The project$2.00 of $10.00",
    "Plans$0.84 of $1.00, $0.10 held",
    "Of what was closed$0.00 of $3.00",
  ]);
  const meter = screen.getByLabelText<HTMLMeterElement>("Spent of the limit: Plans");
  expect([meter.value, meter.max].map((value) => value.toFixed(2))).toEqual(["0.94", "1.00"]);
  page.apply(frame(1, put(budget(null, {}))));
  expect(rows().length).toBe(2);
  const shown = vi.fn();
  page.client.spotlight.subscribe(shown);
  await userEvent.click(screen.getByRole("button", { name: "Plans" }));
  expect(onClose).toHaveBeenCalled();
  expect(shown).toHaveBeenCalledWith("n1");
});
