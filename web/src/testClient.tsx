/** A client for component tests: a real mirror and connection over a socket that tests speak for. */
import { act } from "@testing-library/react";
import { ReactFlowProvider } from "@xyflow/react";
import type { ReactNode } from "react";
import { type Client, createClient } from "./client";
import { TalkfieldProvider } from "./Talkfield";
import { welcome } from "./testRecords";
import type { Socket } from "./wire/connection";
import type {
  Ack,
  ClientMessage,
  Command,
  Do,
  Frame,
  ProjectId,
  ServerMessage,
  Welcome,
  WireRecord,
} from "./wire/generated";

export interface TestClient {
  readonly client: Client;
  readonly Wrapper: (props: { readonly children: ReactNode }) => ReactNode;
  /** Projects that were asked for, in order, the first one being that of the first welcome. */
  readonly asked: () => string[];
  /** The server shows another project. */
  readonly welcome: (project: string, records: readonly WireRecord[]) => void;
  /** Commands that were sent, in order. */
  readonly sent: () => Command[];
  readonly apply: (...frames: readonly Frame[]) => void;
  /** Answers the last command. */
  readonly acknowledge: (ack?: Partial<Ack>) => void;
  readonly refuse: (message: string, hint?: string, code?: string) => void;
  /** The connection breaks, with the close code of the server or of a lost network. */
  readonly drop: (code?: number) => void;
  /** The next try succeeds, and nothing was missed. */
  readonly reconnect: () => void;
}

/** `answers`: what the server says to each address that is asked by HTTP; any other is not there. */
export function setUpClient(
  records: readonly WireRecord[],
  fields: Partial<Welcome> = {},
  answers: Readonly<Record<string, unknown>> = {},
): TestClient {
  const messages: ClientMessage[] = [];
  const socket: Socket = {
    onopen: null,
    onmessage: null,
    onclose: null,
    send: (text) => void messages.push(JSON.parse(text) as ClientMessage),
    close: () => {},
  };
  const client = createClient({
    open: () => socket,
    fetch: async (address) => {
      if (address in answers) return Response.json(answers[address]);
      return Response.json({ error: { code: "unknown", message: `There is no ${address}.` } }, { status: 404 });
    },
  });
  const say = (message: ServerMessage) => act(() => socket.onmessage?.({ data: JSON.stringify(message) }));
  client.connection.start();
  socket.onopen?.();
  say(welcome(records, fields));
  const commands = () => messages.filter((message): message is Do => message.type === "do");
  const last = () => commands().at(-1)?.id ?? "";
  return {
    client,
    asked: () => messages.flatMap((message) => (message.type === "hello" ? [message.project ?? "p1"] : [])),
    welcome: (project, records) => say(welcome(records, { project: project as ProjectId })),
    // biome-ignore lint/correctness/noComponentHookFactories: each test has a client of its own.
    Wrapper: ({ children }) => (
      <TalkfieldProvider value={client}>
        <ReactFlowProvider>{children}</ReactFlowProvider>
      </TalkfieldProvider>
    ),
    sent: () => commands().map((message) => message.command),
    apply: (...frames) => say({ type: "frames", frames }),
    acknowledge: (ack = {}) => say({ type: "ack", seq: 0, ...ack, id: last() }),
    drop: (code = 1006) => act(() => socket.onclose?.({ code })),
    reconnect: () => {
      act(() => {
        client.connection.wake();
        socket.onopen?.();
      });
      say(welcome([], { resumed: true }));
    },
    refuse: (message, hint = "", code = "refused") => say({ type: "rejected", code, message, hint, id: last() }),
  };
}
