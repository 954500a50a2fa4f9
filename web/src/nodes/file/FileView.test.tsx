import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { frame, put, sticky } from "../../testRecords";
import type { FileStateRecord, NodeId, NodeRecord } from "../../wire/generated";
import { FileView } from "./FileView";

const f1 = "f1" as NodeId;

const file = (path: string): NodeRecord => sticky({ id: f1, data: { kind: "file", path } });

function state(fields: Partial<FileStateRecord>): FileStateRecord {
  return { record: "fileState", id: "file:f1", nodeId: f1, ...fields } as FileStateRecord;
}

function setUp(path: string, fields?: Partial<FileStateRecord>) {
  const answers = {
    "/api/projects/p1/files?like=": { files: [] },
    "/api/projects/p1/files?like=pl": { files: ["docs/plan.md"] },
  };
  const page = setUpClient(fields ? [file(path), state(fields)] : [file(path)], {}, answers);
  const view = render(<FileView node={f1} far={false} />, { wrapper: page.Wrapper });
  return { ...page, ...view };
}

describe("FileView", () => {
  it("[L1] shows what is in the file, and what becomes of it", async () => {
    const { apply, container } = setUp("src/plan.txt", { text: "one", sizeBytes: 3, modifiedAt: 1 });
    expect(screen.getByRole("button", { name: "plan.txt" })).toBeDefined();
    expect(screen.getByTestId(TEST_IDS.fileText).textContent).toBe("one");
    expect(container.textContent).toContain("src/plan.txt · 3 B");
    apply(frame(1, put(state({ text: "two", sizeBytes: 3, modifiedAt: 2 }))));
    expect(screen.getByTestId(TEST_IDS.fileText).textContent).toBe("two");
    apply(frame(2, put(state({ error: "src/plan.txt: there is no such file" }))));
    expect(screen.getByRole("status").textContent).toBe("src/plan.txt: there is no such file");
    expect(screen.queryByTestId(TEST_IDS.fileText)).toBeNull();
  });

  it("[L1] draws the beginning of a long file, and all of it when asked", async () => {
    setUp("long.txt", { text: "x".repeat(30_000) });
    expect(screen.getByText(/^x+$/).textContent?.length).toBe(20_000);
    await userEvent.click(screen.getByText("Show all of it"));
    expect(screen.getByText(/^x+$/).textContent?.length).toBe(30_000);
  });

  it("[L1] a new one asks for its file, with those that fit, and a refusal keeps what was typed", async () => {
    const { client, sent, refuse, acknowledge, apply, container } = setUp("");
    act(() => client.spotlight.show(f1));
    const field = screen.getByTestId(TEST_IDS.filePath);
    expect(document.activeElement).toBe(field);
    await userEvent.keyboard("pl");
    await waitFor(() => expect(container.querySelector("option")?.getAttribute("value")).toBe("docs/plan.md"));
    await userEvent.keyboard("an.md{Enter}");
    expect(sent()).toEqual([{ do: "editFile", node: f1, path: "plan.md" }]);
    await act(async () => refuse("not now"));
    expect((screen.getByTestId(TEST_IDS.filePath) as HTMLInputElement).value).toBe("plan.md");
    await userEvent.keyboard("{Enter}");
    apply(frame(1, put(file("plan.md"))));
    await act(async () => acknowledge({ seq: 1 }));
    expect(screen.queryByTestId(TEST_IDS.filePath)).toBeNull();
    expect(screen.getByText("Reading…")).toBeDefined();
  });

  it("[L1] Escape leaves the file as it was", async () => {
    const { sent } = setUp("a.md", { text: "A" });
    await userEvent.click(screen.getByRole("button", { name: "Choose another file" }));
    await userEvent.keyboard("bcd{Escape}");
    expect(screen.queryByTestId(TEST_IDS.filePath)).toBeNull();
    expect(sent()).toEqual([]);
  });
});
