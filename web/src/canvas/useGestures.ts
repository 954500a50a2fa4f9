/** What a person drags: places in progress, groups with what stands on them, and lines to stand on. */
import { type NodeChange, type OnNodeDrag, useStoreApi } from "@xyflow/react";
import { useCallback, useRef, useState } from "react";
import { useTalkfield } from "../Talkfield";
import type { NodeId } from "../wire/generated";
import { alignment, type Guide } from "./alignment";
import type { Place, Places } from "./drags";
import { fromFlow } from "./fromFlow";
import { boundsOf, Carrying } from "./groups";
import { shownPlace } from "./shownPlace";
import type { FlowNode } from "./toFlow";

/** In page pixels. */
const SNAP_PX = 6;
const NO_GUIDES: readonly Guide[] = [];

export interface Gestures {
  readonly guides: readonly Guide[];
  readonly onNodesChange: (changes: NodeChange<FlowNode>[]) => void;
  readonly onNodeDrag: OnNodeDrag<FlowNode>;
}

export function useGestures(): Gestures {
  const { mirror, drags } = useTalkfield();
  const flow = useStoreApi();
  const [guides, setGuides] = useState(NO_GUIDES);
  const carrying = useRef(new Carrying());
  const free = useRef(false);
  const dragged = useRef(false);

  const onNodeDrag = useCallback<OnNodeDrag<FlowNode>>((event) => {
    // Alt held: the node stands where the pointer says.
    free.current = event.altKey;
  }, []);

  const onNodesChange = useCallback(
    (changes: NodeChange<FlowNode>[]) => {
      const before = drags.current();
      const gesture = fromFlow(changes, (id) => before.get(id) ?? mirror.node(id));
      if (gesture.places.size === 0 && gesture.finished.length === 0) return;
      const dragging = changes.some((change) => change.type === "position" && change.dragging === true);
      const ends = dragged.current && changes.some((change) => change.type === "position" && change.dragging === false);
      dragged.current = dragging;
      let { places } = gesture;
      let lines = NO_GUIDES;
      if ((dragging || ends) && !free.current && places.size > 0) {
        const { transform, width, height } = flow.getState();
        const carried = carrying.current.along(places, before, mirror.nodes());
        const others = placesInView(mirror.nodes(), carried, transform, width, height);
        const moving = boundsOf([...places].map(([id, place]) => shown(mirror.node(id), place)));
        if (moving) {
          const found = alignment(moving, others, SNAP_PX / transform[2]);
          places = shifted(places, Math.round(found.dx), Math.round(found.dy));
          lines = found.guides;
        }
      }
      setGuides(dragging ? lines : NO_GUIDES);
      drags.move(carrying.current.along(places, before, mirror.nodes()));
      const finished = carrying.current.end(gesture.finished);
      if (finished.length > 0) void drags.finish(finished);
    },
    [drags, mirror, flow],
  );
  return { guides, onNodesChange, onNodeDrag };
}

type Records = ReturnType<ReturnType<typeof useTalkfield>["mirror"]["nodes"]>;

function shown(record: Records[number] | undefined, place: Place): Place {
  return record ? shownPlace(record, place) : place;
}

/** Only what is seen is something to stand in line with. */
function placesInView(
  records: Records,
  moving: Places,
  [x, y, zoom]: readonly [number, number, number],
  width: number,
  height: number,
): readonly Place[] {
  const view = { x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom };
  return records
    .filter((record) => !moving.has(record.id))
    .map((record) => shownPlace(record))
    .filter(
      (place) =>
        place.x < view.x + view.width &&
        view.x < place.x + place.width &&
        place.y < view.y + view.height &&
        view.y < place.y + place.height,
    );
}

function shifted(places: Places, dx: number, dy: number): Places {
  if (dx === 0 && dy === 0) return places;
  return new Map<NodeId, Place>([...places].map(([id, place]) => [id, { ...place, x: place.x + dx, y: place.y + dy }]));
}
