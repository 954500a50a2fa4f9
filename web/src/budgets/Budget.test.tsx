import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { MessageList } from "../nodes/chat/MessageList";
import { setUpClient } from "../testClient";
import { TEST_IDS } from "../testIds";
import { chat, frame, message, put } from "../testRecords";
import type { BudgetRecord, NodeId, RecordId } from "../wire/generated";
import { BudgetButton } from "./BudgetButton";
import { budgetWords, warningWords } from "./budgetWords";

const n1 = "n1" as NodeId;
const budget = (fields: Partial<BudgetRecord> = {}): BudgetRecord => ({
  record: "budget",
  id: "budget:n1" as RecordId,
  nodeId: n1,
  ...fields,
});

describe("limits on spending", () => {
  it("[P8] says how much of a limit is spent", () => {
    expect(budgetWords(undefined)).toBe("");
    expect(budgetWords(budget({ spentUsd: "0.84" }))).toBe("");
    expect(budgetWords(budget({ limitUsd: "1", spentUsd: "0.84" }))).toBe("$0.84 of $1.00");
    expect(warningWords(budget({ limitUsd: "1" }), "chat")).toBe(
      "Most of the limit on this chat is spent: $0.00 of $1.00.",
    );
  });

  it("[P8] sets a limit on the chat and on the project, and shows where most of it is spent", async () => {
    const client = setUpClient([chat(), budget({ limitUsd: "1", spentUsd: "0.84", warned: true })]);
    render(<BudgetButton node={n1} whose="chat" />, { wrapper: client.Wrapper });
    const button = screen.getByTestId(TEST_IDS.budget);
    expect(button.getAttribute("aria-label")).toBe("Limits on spending: this chat $0.84 of $1.00");
    expect(button.dataset.warned).toBe("true");
    await userEvent.click(button);
    await userEvent.type(screen.getByLabelText("Limit on the project, in dollars"), "2.5{Enter}");
    await userEvent.click(screen.getAllByRole("checkbox")[0] as HTMLElement);
    expect(client.sent()).toEqual([
      { do: "setBudget", limitUsd: "2.5", allowUnpriced: false },
      { do: "setBudget", node: n1, limitUsd: "1", allowUnpriced: true },
    ]);
  });

  it("[P8] says once when most of a limit is spent, and not what was so before", async () => {
    const { client, apply, Wrapper } = setUpClient([chat(), budget({ limitUsd: "1", spentUsd: "0.84", warned: true })]);
    render(<BudgetButton node={n1} whose="chat" />, { wrapper: Wrapper });
    const said = () => client.notices.list().map((notice) => notice.text);
    expect(said()).toEqual([]);
    apply(frame(1, put(budget({ limitUsd: "2", spentUsd: "0.84" }))));
    apply(frame(2, put(budget({ limitUsd: "2", spentUsd: "1.7", warned: true }))));
    apply(frame(3, put(budget({ limitUsd: "2", spentUsd: "1.8", warned: true }))));
    expect(said()).toEqual(["Most of the limit on this chat is spent: $1.70 of $2.00."]);
  });

  it("[P8] offers to go on, with less or as it is, where the next call does not fit", async () => {
    const error = { code: "budget", message: "The limit on the project is $1.00." };
    const client = setUpClient([
      chat(),
      message({ role: "assistant", content: "", error } as Parameters<typeof message>[0]),
    ]);
    render(<MessageList node={n1} />, { wrapper: client.Wrapper });
    await userEvent.click(screen.getByRole("button", { name: "Leave out older turns" }));
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    expect(client.sent()).toEqual([
      { do: "continueTurn", node: n1, trim: true },
      { do: "continueTurn", node: n1 },
    ]);
    await userEvent.click(screen.getByRole("button", { name: "Raise the limit" }));
    expect(screen.getByLabelText("Limit on this chat, in dollars")).toBeTruthy();
  });
});
