import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { call, chat, message } from "../../testRecords";
import { ToolCard } from "./ToolCard";
import { resultText } from "./toolArguments";

const PICTURE = { id: "f1", name: "picture 1", mediaType: "image/png", sizeBytes: 3, digest: "ab12" };

describe("ToolCard", () => {
  it("[T10] shows pictures and structured results of a call that is over", async () => {
    const done = call({ status: "done", result: '{"count":1}', files: [PICTURE] });
    const { Wrapper } = setUpClient([chat(), message(), done]);
    render(<ToolCard id={done.id} />, { wrapper: Wrapper });
    await userEvent.click(screen.getByRole("button"));
    expect(screen.getByAltText("picture 1").getAttribute("src")).toContain("/api/attachments/ab12");
    expect(screen.getByTestId(TEST_IDS.toolCard).textContent).toContain('{\n  "count": 1\n}');
  });

  it("[T10] shows progress while a call runs", () => {
    const running = call({ status: "running", output: "2 of 3 counting\n" });
    const { Wrapper } = setUpClient([chat(), message(), running]);
    render(<ToolCard id={running.id} />, { wrapper: Wrapper });
    expect(screen.getByText("2 of 3 counting")).toBeDefined();
  });

  it("[T10] leaves a result as it is unless it is structured", () => {
    expect(["", "plain", "{no json", "[1,2]"].map(resultText)).toEqual([
      "(empty)",
      "plain",
      "{no json",
      "[\n  1,\n  2\n]",
    ]);
  });
});
