import { memo, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Blocks } from "./Blocks";
import type { BlockNode } from "./blockNode";
import { blockText } from "./blockText";

interface GroupProps {
  readonly nodes: readonly BlockNode[];
  readonly growing: boolean;
  readonly isLast: boolean;
  /** It is so far from the end of a long reply that it need not be drawn while it is out of sight. */
  readonly isFar: boolean;
}

/**
 * Some blocks that are drawn together: a long message costs an update one of these, and only those in sight a layout.
 * One that is far, and which the browser skips as it is out of sight, is its text alone: the browser's search and whoever
 * reads aloud find it there, and it takes a fifth of the memory.
 */
export const Group = memo(function Group({ nodes, growing, isLast, isFar }: GroupProps) {
  const element = useRef<HTMLDivElement>(null);
  const height = useSkippedHeight(element, isFar);
  return (
    <div
      ref={element}
      className="tf-md-group"
      data-last={isLast}
      style={height === null ? undefined : { blockSize: height }}
    >
      {height === null ? (
        <Blocks nodes={nodes} growing={growing} />
      ) : (
        <p className="tf-md-undrawn">{nodes.map(blockText).join("\n\n")}</p>
      )}
    </div>
  );
}, sameGroup);

/** The height that an element had when the browser began to skip what is in it; null while it does not. */
function useSkippedHeight(element: { readonly current: HTMLElement | null }, enabled: boolean): number | null {
  const [height, setHeight] = useState<number | null>(null);
  useEffect(() => {
    const group = element.current;
    if (!group || !enabled) return;
    // It may have been skipped before it was far.
    const isSkipped = group.firstElementChild?.checkVisibility?.({ contentVisibilityAuto: true }) === false;
    if (isSkipped) setHeight(group.offsetHeight);
    const onChange = (event: Event) => {
      if (event.target !== group) return;
      const { skipped } = event as ContentVisibilityAutoStateChangeEvent;
      // It comes before the frame in which the group is seen again: by then it has to be drawn.
      if (skipped) setHeight(group.offsetHeight);
      else flushSync(() => setHeight(null));
    };
    group.addEventListener("contentvisibilityautostatechange", onChange);
    return () => group.removeEventListener("contentvisibilityautostatechange", onChange);
  }, [element, enabled]);
  return enabled ? height : null;
}

function sameGroup(before: GroupProps, after: GroupProps): boolean {
  if (before.isLast !== after.isLast || before.isFar !== after.isFar) return false;
  if (before.growing !== after.growing || before.nodes.length !== after.nodes.length) return false;
  return before.nodes === after.nodes || before.nodes.every((node, index) => node === after.nodes[index]);
}
