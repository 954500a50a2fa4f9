import { describe, expect, it } from "vitest";
import { canLink, likelyCost, permission } from "./linkWords";

describe("linkWords", () => {
  it("[L1] joins only what can take something", () => {
    expect(canLink("sticky", "chat")).toBe(true);
    expect(canLink("chat", "chat")).toBe(true);
    expect(canLink("group", "chat")).toBe(true);
    expect(canLink("chat", "sticky")).toBe(false);
    expect(canLink("chat", undefined)).toBe(false);
  });

  it("[L1] asks for what a link writes in the server's words", () => {
    expect(permission({ kind: "writeFile", path: "notes.md" })).toBe("append notes.md");
    expect(permission({ kind: "writeFile", path: "notes.md", mode: "overwrite" })).toBe("overwrite notes.md");
    expect(permission({ kind: "injectContext" })).toBe("");
  });

  it("[U15] says what an automatic link costs", () => {
    expect(likelyCost({ kind: "injectContext" }, 1234)).toContain("about 1,234 tokens longer");
    expect(likelyCost({ kind: "writeFile" }, 1234)).toBe("Writing costs no tokens.");
  });
});
