import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { chat, frame, message, put, queued, run, totals } from "../../testRecords";
import type { NodeId } from "../../wire/generated";
import { Composer } from "./Composer";

const n1 = "n1" as NodeId;

function setUp(...records: Parameters<typeof setUpClient>[0]) {
  const client = setUpClient([chat(), ...records], {
    slashCommands: [
      { name: "clear", about: "Empties the chat" },
      { name: "model", about: "Sets the model", argument: "id" },
      { name: "cost", about: "Tells the cost" },
    ],
  });
  render(<Composer node={n1} />, { wrapper: client.Wrapper });
  const field = screen.getByTestId<HTMLTextAreaElement>(TEST_IDS.composer);
  return { ...client, field };
}

describe("Composer", () => {
  it("[U3] sends on Enter and breaks the line on Shift+Enter", async () => {
    const { field, sent } = setUp();
    await userEvent.type(field, "one{Shift>}{Enter}{/Shift}two{Enter}");
    expect(sent()).toEqual([{ do: "sendMessage", node: n1, text: "one\ntwo" }]);
  });

  it("[U3] never sends while an input method composes", async () => {
    const { field, sent } = setUp();
    await userEvent.type(field, "にほん");
    fireEvent.keyDown(field, { key: "Enter", isComposing: true });
    fireEvent.keyDown(field, { key: "Enter", keyCode: 229 });
    expect(sent()).toEqual([]);
    fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
    expect(sent()).toHaveLength(1);
  });

  it("[U3] does not take for Send the Enter that Safari reports after the composition it ended", async () => {
    const { field, sent } = setUp();
    await userEvent.type(field, "にほん");
    fireEvent.compositionEnd(field);
    fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
    expect(sent()).toEqual([]);
    fireEvent.keyUp(field, { key: "Enter" });
    fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
    expect(sent()).toHaveLength(1);
  });

  it("[W12] shows why a text was not sent, and the text", async () => {
    const { field, refuse } = setUp();
    await userEvent.type(field, "hello{Enter}");
    refuse("This chat is answering.", "Stop it first.");
    await waitFor(() => expect(screen.getByTestId(TEST_IDS.refusal).textContent).toContain("Stop it first."));
    expect(field.value).toBe("hello");
  });

  it("[R10] stops the reply with its own button while one runs", async () => {
    const { sent } = setUp(run());
    expect(screen.queryByTestId(TEST_IDS.send)).toBeNull();
    await userEvent.click(screen.getByTestId(TEST_IDS.stop));
    expect(sent()).toEqual([{ do: "stopTurn", node: n1 }]);
  });

  it("[W12] Stop gives back what was queued", async () => {
    const { field, acknowledge } = setUp(run(), queued({ text: "later" }));
    expect(screen.getByTestId(TEST_IDS.queued).textContent).toContain("later");
    await userEvent.click(screen.getByTestId(TEST_IDS.stop));
    acknowledge({ made: ["n1"], text: "later" });
    await waitFor(() => expect(field.value).toBe("later"));
  });

  it("[U3] completes slash commands by keyboard", async () => {
    const { field, sent } = setUp();
    await userEvent.type(field, "/");
    expect(screen.getAllByRole("option").map((option) => option.textContent)).toHaveLength(3);
    await userEvent.keyboard("{ArrowDown}{Tab}");
    expect(field.value).toBe("/model ");
    await userEvent.clear(field);
    await userEvent.type(field, "/cl{Enter}");
    expect(field.value).toBe("/clear");
    expect(sent()).toEqual([]);
    await userEvent.keyboard("{Enter}");
    expect(sent()).toEqual([{ do: "sendMessage", node: n1, text: "/clear" }]);
  });

  it("leaves a text that only looks like a command alone", async () => {
    const { field, sent } = setUp();
    await userEvent.type(field, "/etc/hosts is a file{Enter}");
    expect(sent()).toEqual([{ do: "sendMessage", node: n1, text: "/etc/hosts is a file" }]);
  });

  it("takes the cursor when its node is shown", () => {
    const { field, client } = setUp();
    client.spotlight.show(n1);
    expect(document.activeElement).toBe(field);
  });

  it("[U10] shows a draft that comes from another tab", async () => {
    const { field, apply } = setUp();
    apply(frame(1, put(chat({ data: { kind: "chat", draft: "from elsewhere" } }))));
    await waitFor(() => expect(field.value).toBe("from elsewhere"));
  });

  it("[U3] brings back what was said by the arrow keys, and never over something typed", async () => {
    const { field } = setUp(
      message({ id: "m1", index: 0, content: "first" }),
      message({ id: "m2", index: 1, role: "assistant", content: "answer" }),
      message({ id: "m3", index: 2, content: "second" }),
    );
    await userEvent.type(field, "{ArrowUp}");
    expect(field.value).toBe("second");
    await userEvent.keyboard("{ArrowUp}");
    expect(field.value).toBe("first");
    await userEvent.keyboard("{ArrowDown}{ArrowDown}");
    expect(field.value).toBe("");
    await userEvent.type(field, "mine{ArrowUp}");
    expect(field.value).toBe("mine");
  });

  it("[U11] takes in pasted files, but text where there is text", async () => {
    const { field } = setUp();
    const picture = new File(["abc"], "image.png", { type: "image/png" });
    fireEvent.paste(field, { clipboardData: { files: [picture], types: ["Files"] } });
    await waitFor(() => expect(screen.getByTestId(TEST_IDS.file).textContent).toContain("image.png"));
    await waitFor(() => expect(screen.queryByTestId(TEST_IDS.file)).toBeNull());
    expect(screen.getByTestId(TEST_IDS.refusal).textContent).toContain("image.png could not be attached");
    fireEvent.paste(field, { clipboardData: { files: [picture], types: ["text/plain", "Files"] } });
    expect(screen.queryByTestId(TEST_IDS.file)).toBeNull();
  });

  it("[W12] shows, while a reply runs, what Enter would do with what is typed", async () => {
    const { field, sent } = setUp(run());
    expect(screen.queryByTestId(TEST_IDS.queue)).toBeNull();
    await userEvent.type(field, "next");
    await userEvent.click(screen.getByTestId(TEST_IDS.queue));
    expect(sent().at(-1)).toEqual({ do: "sendMessage", node: n1, text: "next" });
  });

  it("[U1] says before sending that it is more than the model can take in", async () => {
    const { field } = setUp(totals({ contextTokens: 90, contextLimit: 100 }));
    await userEvent.type(field, "short");
    expect(screen.queryByTestId(TEST_IDS.tooLong)).toBeNull();
    fireEvent.change(field, { target: { value: "x".repeat(100) } });
    expect(screen.getByTestId(TEST_IDS.tooLong).textContent).toContain("About 115 tokens: the model can take in 100.");
  });
});
