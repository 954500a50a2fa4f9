/** Nodes on the system's clipboard: which, of which project, and where they stood; pure. */
import type { NodeId, ProjectId } from "../wire/generated";
import type { Place } from "./drags";

/** Other programs do not see it; they get the plain text beside it. */
export const NODES_TYPE = "application/x-talkfield-nodes";

export interface CopiedNodes {
  readonly project: ProjectId;
  readonly nodes: readonly NodeId[];
  /** What they took up. */
  readonly box: Place;
}

export function writeCopied(copied: CopiedNodes): string {
  return JSON.stringify(copied);
}

/** Null for whatever we have not written ourselves: any page may put anything on the clipboard. */
export function readCopied(text: string): CopiedNodes | null {
  try {
    const { project, nodes, box } = JSON.parse(text) as Partial<CopiedNodes>;
    const ids = Array.isArray(nodes) && nodes.length > 0 && nodes.every((id) => typeof id === "string");
    const numbers = box && [box.x, box.y, box.width, box.height].every((each) => Number.isFinite(each));
    if (typeof project !== "string" || !ids || !numbers) return null;
    return { project, nodes: nodes as NodeId[], box } as CopiedNodes;
  } catch {
    return null;
  }
}
