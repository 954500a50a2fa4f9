import { describe, expect, it } from "vitest";
import { toolServer } from "../../testRecords";
import type { ToolServerRecord } from "../../wire/generated";
import { countOn, switched, toolGroups } from "./toolSwitches";

const OWN = [
  { name: "read_file", about: "" },
  { name: "write_file", about: "", asks: true },
];

function groups(...servers: ToolServerRecord[]) {
  return toolGroups(OWN, true, servers);
}

describe("tool switches", () => {
  it("[T9] offers the project's tools only where there is a folder", () => {
    expect(toolGroups(OWN, false, [])).toEqual([]);
    expect(groups()).toEqual([
      { source: null, title: "In this project's folder", detail: "", tools: ["read_file", "write_file"] },
    ]);
  });

  it("[T10] offers servers that may run, started or not", () => {
    const found = groups(
      toolServer({ name: "a", status: "ready", tools: ["a__x"] }),
      toolServer({ name: "b", status: "idle" }),
      toolServer({ name: "c", status: "off" }),
    );
    expect(found.slice(1)).toEqual([
      { source: "a", title: "a", detail: "", tools: ["a__x"] },
      { source: "b", title: "b", detail: "starts when needed", tools: [] },
    ]);
  });

  it("[T10] switches one name and counts what is left", () => {
    expect(switched(["a"], "b", false)).toEqual(["a", "b"]);
    expect(switched(["a", "b"], "b", true)).toEqual(["a"]);
    const found = groups(toolServer({ name: "a", status: "ready", tools: ["a__x", "a__y"] }));
    expect(countOn(found, ["a", "a__x", "read_file"])).toEqual({ on: 1, all: 4 });
    expect(countOn(found, [])).toEqual({ on: 4, all: 4 });
  });
});
