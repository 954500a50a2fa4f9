import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { setUpClient } from "../testClient";
import { TEST_IDS } from "../testIds";
import { frame, put } from "../testRecords";
import type { RecordId, SaveRecord } from "../wire/generated";
import { SaveState } from "./SaveState";

const saved: SaveRecord = { record: "save", id: "save" as RecordId, state: "saved" };
const failed: SaveRecord = {
  record: "save",
  id: "save" as RecordId,
  state: "failed",
  message: "The disk is full: free some space.",
};

/** Whether the browser would ask before it leaves the page. */
const asks = () => !window.dispatchEvent(new Event("beforeunload", { cancelable: true }));

describe("SaveState", () => {
  it("[W9] says what stands in the way of saving, and asks before the page is left, for as long as it does", () => {
    const { Wrapper, apply } = setUpClient([saved]);
    render(<SaveState />, { wrapper: Wrapper });
    const said = () => screen.getByTestId(TEST_IDS.saveState).textContent;
    expect([said(), asks()]).toEqual(["Saved", false]);
    apply(frame(1, put(failed)));
    expect([said(), asks()]).toEqual(["Not saved: The disk is full: free some space.", true]);
    expect(screen.getByRole("alert")).toBeTruthy();
    apply(frame(2, put(saved)));
    expect([said(), asks()]).toEqual(["Saved", false]);
  });
});
