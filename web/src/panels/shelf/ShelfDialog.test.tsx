import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, describe, expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { chat } from "../../testRecords";
import type { MessageId, NodeId, ShelfEntry, ShelfItem } from "../../wire/generated";
import { ShelfDialog } from "./ShelfDialog";

beforeAll(() => {
  // jsdom draws no modal windows.
  HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
    this.open = false;
  };
});

const entry = (fields: Partial<ShelfEntry> = {}): ShelfEntry => ({
  id: "s_1",
  node: "n1" as NodeId,
  title: "Plan",
  why: "undone",
  takenAt: 0,
  messages: 2,
  snippet: "the first words",
  ...fields,
});
const item: ShelfItem = {
  id: "s_1",
  why: "undone",
  takenAt: 0,
  node: chat({ title: "Plan" }),
  messages: [
    { id: "m1" as MessageId, role: "user", content: "What now?", ts: 0 },
    { id: "m2" as MessageId, role: "assistant", content: "We plan.", ts: 0 },
  ],
};
const ANSWERS = {
  "/api/projects/p1/shelf": { items: [entry(), entry({ id: "s_2", title: "Sums" })] },
  "/api/projects/p1/shelf?q=two%20%26%20two": { items: [entry({ id: "s_2", title: "Sums" })] },
  "/api/projects/p1/shelf/s_1": item,
};

function setUp(answers: Readonly<Record<string, unknown>> = ANSWERS) {
  const client = setUpClient([chat()], {}, answers);
  let closed = 0;
  render(<ShelfDialog onClose={() => closed++} />, { wrapper: client.Wrapper });
  return { ...client, closed: () => closed };
}

const part = (id: string) => screen.getByTestId(id);
const titles = () => screen.queryAllByTestId(TEST_IDS.shelfEntry).map((row) => row.firstChild?.textContent);
const open = async () => {
  await userEvent.click((await screen.findAllByTestId(TEST_IDS.shelfEntry))[0] as HTMLElement);
  await screen.findByText("We plan.");
};

describe("ShelfDialog", () => {
  it("[W14] lists what was taken away, and what fits the words that are typed", async () => {
    setUp();
    await waitFor(() => expect(titles()).toEqual(["Plan", "Sums"]));
    await userEvent.type(part(TEST_IDS.shelfSearch), "two & two");
    await waitFor(() => expect(titles()).toEqual(["Sums"]));
  });

  it("[W14] opens a thing to read, and brings it back as a chat that is then shown", async () => {
    const { client, sent, acknowledge, closed } = setUp();
    const shown: string[] = [];
    client.spotlight.subscribe((node) => shown.push(node));
    await open();
    expect(within(part(TEST_IDS.shelfReader)).getByText("What now?")).toBeDefined();
    await userEvent.click(part(TEST_IDS.shelfRestore));
    expect(sent()).toEqual([{ do: "restoreShelved", item: "s_1" }]);
    acknowledge({ made: ["n9"] });
    await waitFor(() => expect(shown).toEqual(["n9"]));
    expect(closed()).toBe(1);
  });

  it("[W14] destroys a thing only when told twice", async () => {
    const { sent, acknowledge } = setUp();
    await open();
    await userEvent.click(part(TEST_IDS.shelfDiscard));
    expect(sent()).toEqual([]);
    await userEvent.click(screen.getByText("Keep it"));
    await userEvent.click(part(TEST_IDS.shelfDiscard));
    await userEvent.click(part(TEST_IDS.shelfDiscardSure));
    expect(sent()).toEqual([{ do: "discardShelved", item: "s_1" }]);
    acknowledge();
    await waitFor(() => expect(titles()).toEqual(["Sums"]));
    expect(screen.queryByTestId(TEST_IDS.shelfReader)).toBeNull();
  });

  it("says so when nothing was taken away", async () => {
    setUp({ "/api/projects/p1/shelf": { items: [] } });
    expect((await screen.findByRole("status")).textContent).toContain("Nothing was taken away yet.");
  });

  it("[X5] shows the server's words when the shelf cannot be read", async () => {
    setUp({});
    expect((await screen.findByRole("alert")).textContent).toBe("There is no /api/projects/p1/shelf.");
  });
});
