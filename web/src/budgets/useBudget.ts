/** Reads limits on spending (P8). */
import { useMirror } from "../mirror/hooks";
import type { BudgetRecord, NodeId } from "../wire/generated";

/** The limit on a chat or a group, or, without a node, on the project. */
export const useBudget = (node?: NodeId): BudgetRecord | undefined =>
  useMirror(`budget:${node ?? "project"}`, (mirror) => mirror.budget(node));
