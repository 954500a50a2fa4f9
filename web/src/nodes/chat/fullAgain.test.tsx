import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { chat, message } from "../../testRecords";
import { NoticeList } from "../../ui/NoticeList";
import type { MessageId, NodeId } from "../../wire/generated";
import { MessageEditor } from "./MessageEditor";
import { MessageTools } from "./MessageTools";
import { useMessageEdit } from "./useMessageEdit";

const WORDS = "With this message the chat has about 9,000 tokens; gpt-5 can take in 8,000.";
const question = message({ id: "m1", index: 0, content: "first" });
const reply = message({ id: "m2", index: 1, role: "assistant", content: "answer" });

function Editing() {
  const edit = useMessageEdit(question);
  return edit.text === null ? (
    <button type="button" onClick={edit.begin}>
      Edit
    </button>
  ) : (
    <MessageEditor edit={edit} text={edit.text} />
  );
}

describe("asking again in a chat that is full", () => {
  it("[C7] asks in the editor, keeps the text, and sends what was chosen", async () => {
    const test = setUpClient([chat(), question]);
    render(<Editing />, { wrapper: test.Wrapper });
    await userEvent.click(screen.getByRole("button", { name: "Edit" }));
    await userEvent.keyboard(" of all{Enter}");
    test.refuse(WORDS, "", "context_full");
    await userEvent.click(await screen.findByTestId(TEST_IDS.leaveOut));
    const asked = { do: "editMessage", message: "m1" as MessageId, text: "first of all" };
    expect(test.sent()).toEqual([asked, { ...asked, whenFull: "trim" }]);
    test.acknowledge();
    await waitFor(() => expect(screen.queryByTestId(TEST_IDS.messageEditor)).toBeNull());
  });

  it("[C7] asks in a notice that stays, and sends what was chosen", async () => {
    const test = setUpClient([chat(), question, reply]);
    render(
      <>
        <MessageTools message={reply} className={undefined} />
        <NoticeList />
      </>,
      { wrapper: test.Wrapper },
    );
    await userEvent.click(screen.getByTestId(TEST_IDS.regenerate));
    test.refuse(WORDS, "", "context_full");
    await waitFor(() => expect(screen.getByTestId(TEST_IDS.notice).textContent).toContain("8,000"));
    await userEvent.click(screen.getByTestId(TEST_IDS.sendAll));
    const asked = { do: "regenerateReply", message: "m2" as MessageId };
    expect(test.sent()).toEqual([asked, { ...asked, whenFull: "send" }]);
    expect(screen.queryByTestId(TEST_IDS.notice)).toBeNull();
  });

  it("[C7] offers nothing where something else stands in the way", async () => {
    const test = setUpClient([chat()]);
    render(<NoticeList />, { wrapper: test.Wrapper });
    void test.client.ask({ do: "retryTurn", node: "n1" as NodeId });
    test.refuse("chat already running for this node", "", "node_busy");
    await waitFor(() => expect(screen.getByTestId(TEST_IDS.notice).textContent).toContain("already running"));
    expect(screen.queryByTestId(TEST_IDS.leaveOut)).toBeNull();
  });
});
