import { describe, expect, it } from "vitest";
import { rule } from "../../testRecords";
import { patternFromArguments, writtenPattern } from "./rulePattern";

describe("rulePattern", () => {
  it("[T7] lays exact arguments out for editing, and leaves patterns alone", () => {
    expect(writtenPattern(rule({ kind: "exact", pattern: '{"a":1}' }))).toBe('{\n  "a": 1\n}');
    expect(writtenPattern(rule({ kind: "path", pattern: "docs/**" }))).toBe("docs/**");
  });

  it("[T7] makes a pattern of exact arguments where they say it plainly", () => {
    const args = JSON.stringify({ path: "docs/a.md", command: ["git", "log", "--oneline"] });
    expect(patternFromArguments(args, "path")).toBe("docs/a.md");
    expect(patternFromArguments(args, "command")).toBe("git log --oneline");
    expect(patternFromArguments(args, "any")).toBe("");
    expect(patternFromArguments('{"command":["rm","a b"]}', "command")).toBe("");
    expect(patternFromArguments("{", "path")).toBe("");
  });
});
