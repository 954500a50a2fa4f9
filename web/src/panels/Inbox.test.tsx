import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../testClient";
import { TEST_IDS } from "../testIds";
import { call, chat, frame, message, put, remove, toolServer, visitorCall } from "../testRecords";
import { Inbox } from "./Inbox";

const first = call({ id: "c1", nodeId: "n1", name: "write_file" });
const second = call({ id: "c2", nodeId: "n2", messageId: "m2", name: "run_command" });

function setUp() {
  const client = setUpClient([
    chat({ title: "Plan" }),
    chat({ id: "n2", title: "Build" }),
    message(),
    message({ id: "m2", nodeId: "n2" }),
    first,
    second,
  ]);
  render(<Inbox />, { wrapper: client.Wrapper });
  return client;
}

describe("Inbox", () => {
  it("[U8] counts the cards that wait on the canvas, and goes when none does", () => {
    const { apply } = setUp();
    expect(screen.getByTestId(TEST_IDS.inbox).textContent).toBe("2 need you");
    apply(frame(1, put({ ...first, status: "done" })));
    expect(screen.getByTestId(TEST_IDS.inbox).textContent).toBe("1 needs you");
    apply(frame(2, put({ ...second, status: "denied" })));
    expect(screen.queryByTestId(TEST_IDS.inbox)).toBeNull();
  });

  it("[U8] shows each card with its chat, to be decided right there by keyboard", async () => {
    const { sent } = setUp();
    await userEvent.click(screen.getByTestId(TEST_IDS.inbox));
    const cards = screen.getAllByTestId(TEST_IDS.inboxCard);
    expect(cards.map((card) => within(card).getByTitle("Show this chat").textContent)).toEqual(["Plan", "Build"]);
    expect(document.activeElement).toBe(screen.getAllByTestId(TEST_IDS.toolCard)[0]);
    await userEvent.keyboard("{ArrowDown}a");
    expect(sent()).toEqual([{ do: "decideCall", node: "n2", call: "c2", decision: "approve" }]);
  });

  it("[T6] shows what comes to a card after it was opened", async () => {
    const { apply } = setUp();
    await userEvent.click(screen.getByTestId(TEST_IDS.inbox));
    apply(frame(1, put({ ...second, card: { digest: "d", command: "make test", ready: true } })));
    expect(screen.getByText("make test")).toBeDefined();
  });

  it("[T10] asks whether the programs that a project brings along may run, and sends the answer for that file", async () => {
    const asked = toolServer({ origin: "project", status: "asking", what: "evil --now", digest: "d1" });
    const { Wrapper, sent, apply } = setUpClient([asked]);
    render(<Inbox />, { wrapper: Wrapper });
    expect(screen.getByTestId(TEST_IDS.inbox).textContent).toBe("1 needs you");
    await userEvent.click(screen.getByTestId(TEST_IDS.inbox));
    expect(screen.getByText("evil --now")).toBeDefined();
    await userEvent.click(screen.getByText("No"));
    expect(sent()).toEqual([{ do: "decideToolServers", digest: "d1", allow: false }]);
    apply(frame(1, put({ ...asked, status: "refused" })));
    expect(screen.queryByTestId(TEST_IDS.inbox)).toBeNull();
  });

  it("[T10] shows what a program outside asks for, to be decided like a tool call", async () => {
    const visit = visitorCall({ id: "v1", name: "talkfield__add_node" });
    const { Wrapper, sent, apply } = setUpClient([visit]);
    render(<Inbox />, { wrapper: Wrapper });
    await userEvent.click(screen.getByTestId(TEST_IDS.inbox));
    expect(screen.getByText("A program outside asks")).toBeDefined();
    await userEvent.click(screen.getByTestId(TEST_IDS.approve));
    expect(sent()).toEqual([{ do: "decideCall", node: "", call: "v1", decision: "approve", digest: "d" }]);
    apply(frame(1, remove("v1")));
    expect(screen.queryByTestId(TEST_IDS.inbox)).toBeNull();
  });

  it("[U8] goes to a card's chat", async () => {
    const { client } = setUp();
    const shown: string[] = [];
    client.spotlight.subscribe((node) => shown.push(node));
    await userEvent.click(screen.getByTestId(TEST_IDS.inbox));
    await userEvent.click(screen.getByText("Build"));
    expect(shown).toEqual(["n2"]);
    expect(screen.queryByTestId(TEST_IDS.inboxCard)).toBeNull();
  });
});
