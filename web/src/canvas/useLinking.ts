import type { Connection, Edge, FinalConnectionState } from "@xyflow/react";
import { useCallback } from "react";
import { canLink } from "../links/linkWords";
import { useTalkfield } from "../Talkfield";
import type { NodeId } from "../wire/generated";

export interface Linking {
  readonly isValidConnection: (connection: Connection | Edge) => boolean;
  readonly onConnect: (connection: Pick<Connection, "source" | "target">) => void;
  readonly onConnectEnd: (event: MouseEvent | TouchEvent, state: FinalConnectionState) => void;
}

/** Links are drawn from the end of a node to another node, wherever on it; only what makes sense connects (L1). */
export function useLinking(): Linking {
  const { ask, mirror } = useTalkfield();
  const isValidConnection = useCallback(
    ({ source, target }: Pick<Connection, "source" | "target">) =>
      source !== target &&
      canLink(mirror.node(source as NodeId)?.data.kind, mirror.node(target as NodeId)?.data.kind) &&
      !mirror.edges().some((edge) => edge.source === source && edge.target === target),
    [mirror],
  );
  const onConnect = useCallback(
    ({ source, target }: Pick<Connection, "source" | "target">) =>
      void ask({ do: "addEdge", source: source as NodeId, target: target as NodeId }),
    [ask],
  );
  const onConnectEnd = useCallback(
    (event: MouseEvent | TouchEvent, { fromNode, isValid }: FinalConnectionState) => {
      // Near an end of a node React Flow has connected already.
      if (isValid || !fromNode) return;
      const point = "changedTouches" in event ? event.changedTouches[0] : event;
      const under = point && document.elementFromPoint(point.clientX, point.clientY)?.closest(".react-flow__node");
      const link = { source: fromNode.id, target: under?.getAttribute("data-id") ?? "" };
      if (isValidConnection(link)) onConnect(link);
    },
    [isValidConnection, onConnect],
  );
  return { isValidConnection, onConnect, onConnectEnd };
}
