import { describe, expect, it } from "vitest";
import type { NodeId, ProjectId } from "../wire/generated";
import { readCopied, writeCopied } from "./clipboard";

describe("the clipboard", () => {
  it("[U6] gives back the nodes that were copied", () => {
    const copied = {
      project: "p" as ProjectId,
      nodes: ["a" as NodeId, "b" as NodeId],
      box: { x: 1, y: 2, width: 3, height: 4 },
    };
    expect(readCopied(writeCopied(copied))).toEqual(copied);
  });

  it.each([
    "",
    "null",
    "[]",
    "7",
    '{"project":"p"}',
    '{"project":"p","nodes":[],"box":{}}',
    '{"project":1,"nodes":["a"]}',
  ])("[X5] takes nothing else for nodes: %s", (text) => expect(readCopied(text)).toBeNull());
});
