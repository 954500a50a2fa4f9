import { fireEvent, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { setUpClient } from "../../testClient";
import { TEST_IDS } from "../../testIds";
import { frame, project, put } from "../../testRecords";
import type { ProjectId, WireRecord } from "../../wire/generated";
import { ProjectBar } from "./ProjectBar";
import { ProjectTabs } from "./projectTabs";

const RECORDS = [project({ title: "Atlas" }), project({ project: "p2", title: "Book" }), project({ project: "p3" })];

/** `p1` is open, and p2 has a tab, too. */
function setUp(records: readonly WireRecord[] = RECORDS) {
  const made = setUpClient(records);
  made.client.projectTabs.open("p2" as ProjectId);
  render(<ProjectBar onShelf={() => {}} />, { wrapper: made.Wrapper });
  return made;
}

const tabs = () => screen.queryAllByTestId(TEST_IDS.projectTab).map((tab) => tab.textContent);
const tab = (title: string) => within(screen.getByRole("navigation")).getByRole("button", { name: title });

describe("ProjectBar", () => {
  it("[U6] shows the open projects as tabs and says which one is looked at", () => {
    setUp();
    expect(tabs()).toEqual(["Atlas", "Book"]);
    expect(tab("Atlas").getAttribute("aria-current")).toBe("page");
    expect(tab("Book").getAttribute("aria-current")).toBeNull();
  });

  it("[U6] shows another project by a click on its tab", async () => {
    const { asked } = setUp();
    await userEvent.click(tab("Book"));
    expect(asked()).toEqual(["p1", "p2"]);
  });

  it("[U9] walks through the tabs by the arrow keys and orders them by Shift", async () => {
    setUp();
    tab("Atlas").focus();
    await userEvent.keyboard("{ArrowRight}");
    expect(document.activeElement).toBe(tab("Book"));
    await userEvent.keyboard("{Shift>}{ArrowLeft}{/Shift}");
    expect(tabs()).toEqual(["Book", "Atlas"]);
    expect(document.activeElement).toBe(tab("Book"));
  });

  it("[U6] closes a tab and leaves the project; the last one stays", async () => {
    const { sent } = setUp();
    await userEvent.click(screen.getByRole("button", { name: "Close the tab of Book" }));
    expect(tabs()).toEqual(["Atlas"]);
    expect(screen.queryByRole("button", { name: /Close the tab/ })).toBeNull();
    expect(sent()).toEqual([]);
    await userEvent.click(screen.getByTestId(TEST_IDS.projectTabAdd));
    expect(screen.getByRole("menuitem", { name: "Book" })).toBeDefined();
  });

  it("[U6] shows the tab beside the one that is closed while it is looked at", async () => {
    const { asked, welcome } = setUp();
    tab("Atlas").focus();
    await userEvent.keyboard("{Delete}");
    expect(asked()).toEqual(["p1", "p2"]);
    welcome("p2", RECORDS);
    expect(tabs()).toEqual(["Book"]);
    expect(tab("Book").getAttribute("aria-current")).toBe("page");
  });

  it("[U8] marks a tab in whose project something waits or answers", () => {
    const { apply } = setUp();
    apply(frame(1, put(project({ project: "p2", title: "Book", live: 1 }))));
    expect(tabs()).toEqual(["Atlas", "Book is answering"]);
    apply(frame(2, put(project({ project: "p2", title: "Book", live: 1, waiting: 1 }))));
    expect(tabs()).toEqual(["Atlas", "Book needs you"]);
    apply(frame(3, put(project({ project: "p2", title: "Book" }))));
    expect(tabs()).toEqual(["Atlas", "Book"]);
  });

  it("[U6] has no tab for a project in the archive or the bin", () => {
    const { apply } = setUp();
    apply(frame(1, put(project({ project: "p2", title: "Book", state: "binned" }))));
    expect(tabs()).toEqual(["Atlas"]);
  });

  it("[U6] starts a project in a tab of its own", async () => {
    const { sent, acknowledge, asked } = setUp();
    await userEvent.click(screen.getByTestId(TEST_IDS.projectTabAdd));
    await userEvent.click(screen.getByRole("menuitem", { name: "New project" }));
    await userEvent.keyboard("Cellar{Enter}");
    expect(sent()).toEqual([{ do: "addProject", title: "Cellar" }]);
    acknowledge({ made: ["p4"] });
    await screen.findByTestId(TEST_IDS.projectTabAdd);
    expect(asked()).toEqual(["p1", "p4"]);
  });

  it("[U6] leaves whoever has gone on to another project there when a new one is ready", async () => {
    const { sent, acknowledge, asked, welcome } = setUp();
    await userEvent.click(screen.getByTestId(TEST_IDS.projectTabAdd));
    await userEvent.click(screen.getByRole("menuitem", { name: "New project" }));
    await userEvent.keyboard("Cellar{Enter}");
    expect(sent()).toEqual([{ do: "addProject", title: "Cellar" }]);
    welcome("p2", []);
    acknowledge({ made: ["p4"] });
    await screen.findByTestId(TEST_IDS.projectTabAdd);
    expect(asked()).not.toContain("p4");
  });

  it("[U6] renames a project in its tab", async () => {
    const { sent } = setUp();
    await userEvent.dblClick(tab("Atlas"));
    await userEvent.keyboard("Maps{Enter}");
    expect(sent()).toEqual([{ do: "renameProject", project: "p1", title: "Maps" }]);
    expect(within(screen.getByRole("navigation")).queryByRole("textbox")).toBeNull();
  });

  it("[U6] orders tabs by a drag, which is no click", () => {
    const { asked } = setUp();
    for (const [place, item] of screen.getAllByTestId(TEST_IDS.projectTab).entries()) {
      item.getBoundingClientRect = () => new DOMRect(place * 100, 0, 100, 30);
    }
    fireEvent.pointerDown(tab("Atlas"), { button: 0, clientX: 10 });
    fireEvent.pointerMove(window, { clientX: 160 });
    fireEvent.pointerUp(window);
    fireEvent.click(tab("Atlas"));
    expect(tabs()).toEqual(["Book", "Atlas"]);
    expect(asked()).toEqual(["p1"]);
  });
});

describe("ProjectTabs", () => {
  beforeEach(() => localStorage.clear());
  const ids = (...names: string[]) => names as ProjectId[];

  it("[U6] are remembered by the browser, for its other pages too", () => {
    const [first, second] = [new ProjectTabs(localStorage), new ProjectTabs(localStorage)];
    for (const id of ids("p1", "p2", "p3")) first.open(id);
    first.move("p3" as ProjectId, "p1" as ProjectId);
    first.close("p2" as ProjectId);
    second.reread();
    expect(second.current()).toEqual(["p3", "p1"]);
    expect(new ProjectTabs(localStorage).current()).toEqual(["p3", "p1"]);
  });

  it.each(["", "{", "null", '{"a":1}', "[1,null]"])("[X5] begins without tabs where the storage holds %s", (text) => {
    localStorage.setItem("talkfield.tabs", text);
    expect(new ProjectTabs(localStorage).current()).toEqual([]);
  });
});
