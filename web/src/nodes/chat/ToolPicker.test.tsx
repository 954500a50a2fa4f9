import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { chat, frame, put, toolServer } from "../../testRecords";
import type { NodeId } from "../../wire/generated";
import { ToolPicker } from "./ToolPicker";

describe("ToolPicker", () => {
  it("[T10] switches one tool, or a whole server, for this chat", async () => {
    const server = toolServer({ name: "prog", tools: ["prog__add", "prog__say"] });
    const { Wrapper, sent, apply } = setUpClient([chat(), server]);
    render(<ToolPicker node={"n1" as NodeId} />, { wrapper: Wrapper });
    const trigger = screen.getByTestId(TEST_IDS.toolPicker);
    expect(trigger.textContent).toBe("2");
    await userEvent.click(trigger);
    await userEvent.click(screen.getByLabelText("add"));
    expect(sent()).toEqual([{ do: "switchTools", node: "n1", off: ["prog__add"] }]);
    apply(frame(1, put(chat({ data: { kind: "chat", toolsOff: ["prog__add"] } }))));
    expect(trigger.textContent).toBe("1/2");
    await userEvent.click(screen.getByLabelText("prog"));
    expect(sent().at(-1)).toEqual({ do: "switchTools", node: "n1", off: ["prog__add", "prog"] });
  });

  it("[T9] is not there where a chat can have no tools", () => {
    const { Wrapper } = setUpClient([chat()]);
    render(<ToolPicker node={"n1" as NodeId} />, { wrapper: Wrapper });
    expect(screen.queryByTestId(TEST_IDS.toolPicker)).toBeNull();
  });
});
