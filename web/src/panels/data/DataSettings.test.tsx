import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { project } from "../../testRecords";
import type { BackupContent, DataFolderState, WireRecord } from "../../wire/generated";
import { DataSettings } from "./DataSettings";

const FOLDER: DataFolderState = {
  folder: "/home/me/talkfield",
  databaseBytes: 2_100_000,
  attachments: 1,
  attachmentBytes: 340_000,
  freeBytes: 9_000_000,
  setAside: [],
  restoring: null,
  restoringAside: "",
};
const BACKUP: BackupContent = {
  id: "b1",
  at: 1_786_699_800_000,
  version: "0.1.0",
  projects: [{ title: "Atlas", state: "binned", messages: 12 }],
  attachments: 3,
  sizeBytes: 5_000_000,
};

function setUp(answers: Record<string, unknown>, records: readonly WireRecord[] = []) {
  const client = setUpClient(records, {}, answers);
  render(<DataSettings />, { wrapper: client.Wrapper });
  return client;
}

const text = () => screen.getByTestId(TEST_IDS.dataSettings).textContent ?? "";
const choose = () =>
  userEvent.upload(screen.getByTestId(TEST_IDS.restoreFile), new File(["PK"], "b.zip", { type: "application/zip" }));

describe("DataSettings", () => {
  it("[ST10] says where everything is, how large it is, that it is saved, and what was set aside", async () => {
    setUp({ "/api/data": { ...FOLDER, setAside: ["before-restore-1"] } });
    await waitFor(() => expect(text()).toContain("/home/me/talkfield"));
    expect(text()).toContain("Conversations 2.1 MB, 1 attachment 340 kB; 9 MB are free on this disk.");
    expect(text()).toContain("Everything is saved.");
    expect(text()).toContain("before-restore-1");
  });

  it("[ST10] shows what is in a backup before it asks, and says what becomes of it", async () => {
    const waiting = { ...FOLDER, restoring: { ...BACKUP, id: "" }, restoringAside: "before-restore-2" };
    setUp({
      "/api/data": FOLDER,
      "/api/restores": BACKUP,
      "/api/restores/confirm": waiting,
      "/api/restores/drop": FOLDER,
    });
    await waitFor(() => expect(text()).toContain("/home/me"));
    await choose();
    await waitFor(() => expect(text()).toContain("Atlas12 messages, in the bin"));
    await userEvent.click(screen.getByTestId(TEST_IDS.restoreConfirm));
    await waitFor(() => expect(screen.getByTestId(TEST_IDS.restoreWaiting).textContent).toContain("before-restore-2"));
    await userEvent.click(screen.getByRole("button", { name: "Do not restore" }));
    await waitFor(() => expect(screen.queryByTestId(TEST_IDS.restoreWaiting)).toBeNull());
  });

  it("[ST10] says why a file is no backup, and goes on", async () => {
    setUp({ "/api/data": FOLDER });
    await waitFor(() => expect(text()).toContain("/home/me"));
    await choose();
    await waitFor(() => expect(screen.getByRole("alert").textContent).toContain("There is no /api/restores."));
    expect(screen.getByRole("button", { name: "Choose a backup" }).hasAttribute("disabled")).toBe(false);
  });

  it("[U6] brings a project back from the bin", async () => {
    const { sent } = setUp({ "/api/data": FOLDER }, [project({ project: "p2", title: "Old", state: "binned" })]);
    await userEvent.click(screen.getByRole("button", { name: "Bring back: Old" }));
    expect(sent()).toEqual([{ do: "moveProject", project: "p2", state: "active" }]);
  });
});
