import { describe, expect, it } from "vitest";
import { rememberChoices } from "./rememberChoices";

describe("rememberChoices", () => {
  it("[T7] offers this once first, then each offer for the chat and for the project", () => {
    expect(rememberChoices([{ kind: "command", pattern: "git status", words: "git status" }])).toEqual([
      { words: "Only this once" },
      { words: "In this chat: git status", remember: { scope: "chat", kind: "command", pattern: "git status" } },
      { words: "In this project: git status", remember: { scope: "project", kind: "command", pattern: "git status" } },
    ]);
  });
});
