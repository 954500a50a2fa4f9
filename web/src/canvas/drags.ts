/**
 * Places of nodes that a person is moving or resizing: laid over the records until the server has them (CH8).
 *
 * Never: sends while a gesture lasts. At its end one `PlaceNodes` goes out, and a place is dropped when the frame of
 * its ack has been applied, or at once when it was refused. A newer gesture on the same node keeps its own place.
 */
import type { Mirror } from "../mirror/mirror";
import type { Ack, Command, NodeId, NodePlace } from "../wire/generated";

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export type Places = ReadonlyMap<NodeId, Place>;

export class Drags {
  private places: Places = new Map();
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly ports: {
      readonly mirror: Mirror;
      readonly ask: (command: Command) => Promise<Ack | null>;
    },
  ) {}

  /** Places in progress; the same map until one changes. */
  current = (): Places => this.places;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  move(places: Places): void {
    if (places.size > 0) this.set(new Map([...this.places, ...places]));
  }

  /** The gesture is over: what has really moved is sent, as one command. */
  async finish(ids: readonly NodeId[]): Promise<void> {
    const finished = new Map<NodeId, Place>();
    const moved: NodePlace[] = [];
    for (const id of ids) {
      const place = this.places.get(id);
      const record = this.ports.mirror.node(id);
      if (!place || !record) continue;
      finished.set(id, place);
      const resized = place.width !== record.width || place.height !== record.height;
      if (!resized && place.x === record.x && place.y === record.y) continue;
      moved.push({ id, x: place.x, y: place.y, ...(resized ? { width: place.width, height: place.height } : {}) });
    }
    if (moved.length > 0) {
      const ack = await this.ports.ask({ do: "placeNodes", places: moved });
      if (ack) await this.ports.mirror.whenApplied(ack.seq);
    }
    const kept = new Map(this.places);
    for (const [id, place] of finished) if (kept.get(id) === place) kept.delete(id);
    if (kept.size !== this.places.size) this.set(kept);
  }

  private set(places: Places): void {
    this.places = places;
    for (const listener of [...this.listeners]) listener();
  }
}
