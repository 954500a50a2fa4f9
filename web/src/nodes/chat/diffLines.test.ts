import { describe, expect, it } from "vitest";
import { diffLines } from "./diffLines";

describe("diffLines", () => {
  it("[T9] says of each line what it is", () => {
    const lines = diffLines("@@ -1,2 +1,2 @@\n same\n-old\n+new\n⟨3 more lines of this change are not shown here⟩");
    expect(lines.map(({ kind, text }) => [kind, text])).toEqual([
      ["place", "@@ -1,2 +1,2 @@"],
      ["same", " same"],
      ["minus", "-old"],
      ["plus", "+new"],
      ["same", "⟨3 more lines of this change are not shown here⟩"],
    ]);
  });
});
