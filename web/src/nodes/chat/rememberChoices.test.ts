import { describe, expect, it } from "vitest";
import { rememberChoices } from "./rememberChoices";

describe("rememberChoices", () => {
  it("[T7] offers this once first, then each offer for the chat and for the project", () => {
    expect(rememberChoices([{ kind: "command", pattern: "git status", words: "git status" }], true)).toEqual([
      { words: "Only this once" },
      { words: "In this chat: git status", remember: { scope: "chat", kind: "command", pattern: "git status" } },
      {
        words: "In this chat: another command…",
        remember: { scope: "chat", kind: "command", pattern: "git status" },
        written: true,
      },
      { words: "In this project: git status", remember: { scope: "project", kind: "command", pattern: "git status" } },
      {
        words: "In this project: another command…",
        remember: { scope: "project", kind: "command", pattern: "git status" },
        written: true,
      },
    ]);
  });

  it("[T10] offers no chat where a call is about none", () => {
    expect(rememberChoices([{ kind: "any", pattern: "", words: "every call" }], false)).toEqual([
      { words: "Only this once" },
      { words: "In this project: every call", remember: { scope: "project", kind: "any", pattern: "" } },
    ]);
  });
});
