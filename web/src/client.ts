/** The composition root of the page: the mirror, its connection, and the little that a browser holds by itself. */
import { Drags } from "./canvas/drags";
import { FullScreen } from "./canvas/fullScreen";
import { Selection } from "./canvas/selection";
import { Spotlight } from "./canvas/spotlight";
import { Visits } from "./canvas/visits";
import { FULL_CHOICES } from "./fullChoices";
import type { DrawPace } from "./mirror/drawPace";
import { Mirror } from "./mirror/mirror";
import { Drafts } from "./nodes/chat/drafts";
import { Uploads } from "./nodes/chat/uploads";
import type { ReadingPlace } from "./nodes/chat/useDrawnMessages";
import { ProjectTabs } from "./panels/tabs/projectTabs";
import { Notices, type Step } from "./ui/notices";
import { isFull, type SendCommand, wordsFor } from "./wire/commands";
import { Connection, type ConnectionOptions } from "./wire/connection";
import type { Ack, Command, MessageId, NodeId, RemoveQueued, StopTurn } from "./wire/generated";
import { type Fetch, Http } from "./wire/http";

export interface Client {
  readonly mirror: Mirror;
  readonly connection: Connection;
  readonly http: Http;
  /** Sends and gives the outcome to the caller. */
  readonly send: SendCommand;
  /** Sends and shows a refusal as a notice; null then. For buttons that have no place of their own for bad news. */
  readonly ask: (command: Command) => Promise<Ack | null>;
  /** Takes back or brings back the last change; a turn's text goes back into an empty composer (W4). */
  readonly travel: (direction: "undo" | "redo") => Promise<void>;
  /** Asks for what gives queued text back; the composer takes it in, before what stands there (W12). */
  readonly takeBack: (command: StopTurn | RemoveQueued) => Promise<void>;
  readonly drafts: Drafts;
  readonly uploads: Uploads;
  readonly drags: Drags;
  readonly notices: Notices;
  readonly spotlight: Spotlight;
  readonly fullScreen: FullScreen;
  readonly visits: Visits;
  readonly selection: Selection;
  readonly projectTabs: ProjectTabs;
  /** Where each transcript was being read, kept while its node is off screen or a card. */
  readonly scrollPlaces: Map<NodeId, ReadingPlace>;
  /** Messages that are being edited, with the text so far, kept likewise. */
  readonly messageEdits: Map<MessageId, string>;
}

export type ClientOptions = Omit<ConnectionOptions, "listener"> & {
  readonly fetch: Fetch;
  readonly storage?: Storage | null;
  /** When text that grows may be drawn; without it, at once. */
  readonly pace?: DrawPace;
};

export function createClient({ storage = null, fetch, pace, ...options }: ClientOptions): Client {
  const mirror = new Mirror(pace ? (draw) => pace.ask(draw) : undefined);
  const notices = new Notices();
  const connection = new Connection({
    ...options,
    listener: {
      welcome: (welcome) => mirror.load(welcome),
      frames: (frames) => mirror.apply(frames),
    },
  });
  const send = connection.send;
  /** What a person can choose where asking again would be more than the model can take in (C7). */
  const waysOn = (command: Command): readonly Step[] => {
    if (command.do !== "retryTurn" && command.do !== "regenerateReply") return [];
    return FULL_CHOICES.map(({ whenFull, label, testId }) => {
      return { label, testId, act: () => void ask({ ...command, whenFull }) };
    });
  };
  const ask = async (command: Command): Promise<Ack | null> => {
    try {
      return await send(command);
    } catch (error) {
      notices.show(wordsFor(error), isFull(error) ? waysOn(command) : []);
      return null;
    }
  };
  const http = new Http(fetch);
  const projectTabs = new ProjectTabs(storage);
  mirror.subscribe("server", () => {
    if (mirror.server.project) projectTabs.open(mirror.server.project);
  });
  const drafts = new Drafts({ mirror, send, storage });
  /** Where undo has put text into composers, the last one last. */
  const handedBack: NodeId[] = [];
  const travel = async (direction: "undo" | "redo"): Promise<void> => {
    const ack = await ask({ do: direction });
    const [node] = ack?.made ?? [];
    if (ack && node && (ack.text || ack.attachments)) {
      await mirror.whenApplied(ack.seq);
      if (direction === "undo") {
        if (drafts.offer(node as NodeId, ack.text ?? "", ack.attachments)) handedBack.push(node as NodeId);
      } else {
        const last = handedBack.at(-1);
        if (last && drafts.withdraw(last, ack.text ?? "", ack.attachments)) handedBack.pop();
      }
    }
  };
  const takeBack = async (command: StopTurn | RemoveQueued): Promise<void> => {
    const ack = await ask(command);
    const [node] = ack?.made ?? [];
    if (ack && node && (ack.text || ack.attachments)) {
      drafts.giveBack(node as NodeId, ack.text ?? "", ack.attachments);
    }
  };
  return {
    mirror,
    connection,
    http,
    send,
    ask,
    travel,
    takeBack,
    drafts,
    uploads: new Uploads({ drafts, sendFile: (file, signal) => http.attach(file, signal) }),
    drags: new Drags({ mirror, ask }),
    notices,
    spotlight: new Spotlight(),
    fullScreen: new FullScreen(),
    visits: new Visits(),
    selection: new Selection(),
    projectTabs,
    scrollPlaces: new Map(),
    messageEdits: new Map(),
  };
}
