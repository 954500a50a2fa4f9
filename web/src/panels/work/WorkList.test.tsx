import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { frame, provider, put, remove, toolServer, work } from "../../testRecords";
import { WorkList } from "./WorkList";

const shown = () => screen.queryAllByTestId(TEST_IDS.work).map((each) => each.textContent);

describe("WorkList", () => {
  it("[U13] says what goes on and how far it is, for as long as it does", () => {
    const { Wrapper, apply } = setUpClient([work()]);
    render(<WorkList />, { wrapper: Wrapper });
    expect(shown()).toEqual(["Making a backupCancel"]);
    expect(screen.getByRole("progressbar").hasAttribute("value")).toBe(false);
    apply(frame(1, put(work({ done: 699, total: 1000 }))));
    expect(shown()).toEqual(["Making a backup69 %Cancel"]);
    expect(screen.getByRole("progressbar").getAttribute("value")).toBe("69");
    apply(frame(2, remove("work:1")));
    expect(shown()).toEqual([]);
  });

  it("[T10] says which server of tools starts, and can do without it; and that the local model starts", async () => {
    const { Wrapper, sent, apply } = setUpClient([
      toolServer({ name: "files", origin: "settings", status: "starting" }),
      toolServer({ name: "idle", origin: "settings", status: "idle" }),
      provider({ name: "Built-in small model", origin: "local", status: "starting" }),
    ]);
    render(<WorkList />, { wrapper: Wrapper });
    expect(shown()).toEqual(["Starting the tool server filesCancel", "Starting: Built-in small model"]);
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect(sent()).toEqual([{ do: "enableToolServer", name: "files", enabled: false }]);
    apply(frame(1, put(toolServer({ name: "files", origin: "settings", status: "off" }))));
    expect(shown()).toEqual(["Starting: Built-in small model"]);
  });

  it("[U13] ends the one that is not wanted", async () => {
    const { Wrapper, sent } = setUpClient([work(), work({ id: "work:2", what: "Reading a file" })]);
    render(<WorkList />, { wrapper: Wrapper });
    await userEvent.click(screen.getAllByRole("button", { name: "Cancel" })[1] as HTMLElement);
    expect(sent()).toEqual([{ do: "cancelWork", work: "work:2" }]);
  });
});
