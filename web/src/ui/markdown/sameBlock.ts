/**
 * Keeps what did not change. The end of a growing reply is read anew with each update; where it says the same as before,
 * the values from before take its place, so that views see at once that there is nothing to do.
 */
import type { BlockNode, ListItem } from "./blockNode";

export function reuseBlocks(before: readonly BlockNode[], after: readonly BlockNode[]): readonly BlockNode[] {
  return reuseAll(before, after, reuseBlock);
}

function reuseBlock(before: BlockNode, after: BlockNode): BlockNode {
  switch (after.kind) {
    case "quote":
    case "footnote": {
      if (before.kind !== after.kind) return after;
      const children = reuseBlocks(before.children, after.children);
      const isSame = children === before.children && (after.kind === "quote" || sameFields(before, after));
      return isSame ? before : { ...after, children };
    }
    case "list": {
      if (before.kind !== "list") return after;
      const items = reuseAll(before.items, after.items, reuseItem);
      return items === before.items && sameFields(before, after) ? before : { ...after, items };
    }
    case "table": {
      if (before.kind !== "table") return after;
      const rows = reuseAll(before.rows, after.rows, reuseCells);
      const head = reuseCells(before.head, after.head);
      const aligns = reuseCells(before.aligns, after.aligns);
      const isSame = rows === before.rows && head === before.head && aligns === before.aligns;
      return isSame ? before : { ...after, rows, head, aligns };
    }
    default:
      return sameFields(before, after) ? before : after;
  }
}

function reuseItem(before: ListItem, after: ListItem): ListItem {
  const children = reuseBlocks(before.children, after.children);
  return children === before.children && before.checked === after.checked ? before : { ...after, children };
}

function reuseCells<Cell extends string | null>(before: readonly Cell[], after: readonly Cell[]): readonly Cell[] {
  const isSame = before.length === after.length && before.every((cell, index) => cell === after[index]);
  return isSame ? before : after;
}

function reuseAll<Part>(
  before: readonly Part[],
  after: readonly Part[],
  reuse: (before: Part, after: Part) => Part,
): readonly Part[] {
  let isSame = before.length === after.length;
  const kept = after.map((part, index) => {
    const old = before[index];
    const now = old === undefined ? part : reuse(old, part);
    if (now !== old) isSame = false;
    return now;
  });
  return isSame ? before : kept;
}

/** True when all but what other functions here look at is equal. */
function sameFields(before: BlockNode, after: BlockNode): boolean {
  const old: Readonly<Record<string, unknown>> = { ...before };
  for (const [name, value] of Object.entries(after)) {
    if (typeof value !== "object" && old[name] !== value) return false;
    if (value === null && old[name] !== null) return false;
  }
  return true;
}
