import { describe, expect, it } from "vitest";
import { chat, edge, sticky } from "../testRecords";
import { canLink, linkTargets, permission, summaryWords } from "./linkWords";

describe("linkWords", () => {
  it("[L1] joins only what can take something", () => {
    expect(canLink("sticky", "chat")).toBe(true);
    expect(canLink("chat", "chat")).toBe(true);
    expect(canLink("group", "chat")).toBe(true);
    expect(canLink("chat", "sticky")).toBe(false);
    expect(canLink("chat", undefined)).toBe(false);
  });

  it("[U9] offers the nodes that a link can still lead to", () => {
    const [from, to, other, note] = [chat(), chat({ id: "n2" }), chat({ id: "n3" }), sticky()];
    const nodes = [from, to, other, note];
    expect(linkTargets(from, nodes, [edge()])).toEqual([other]);
    expect(linkTargets(note, nodes, [])).toEqual([from, to, other]);
  });

  it("[L1] asks for what a link writes in the server's words", () => {
    expect(permission({ kind: "writeFile", path: "notes.md" })).toBe("append notes.md");
    expect(permission({ kind: "writeFile", path: "notes.md", mode: "overwrite" })).toBe("overwrite notes.md");
    expect(permission({ kind: "injectContext" })).toBe("");
  });

  it("[L1] says whether there is a summary, and of what", () => {
    expect(summaryWords("missing", false, "")).toContain("There is no summary yet");
    expect(summaryWords("changed", true, "$1.00")).toContain("being written");
    expect(summaryWords("current", false, "$0.02")).toBe("A summary of what the source says now. It cost $0.02.");
    expect(summaryWords("current", false, "n/a")).toBe("A summary of what the source says now.");
    expect(summaryWords("changed", false, "$1.00")).toContain("has changed");
  });
});
