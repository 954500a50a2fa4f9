/**
 * The one WebSocket of this tab: says hello, resumes where it left off, keeps commands until they are answered.
 *
 * Owns: the socket, reconnecting (backoff with jitter), pings (CH10), the last good `epoch` and `seq` (CH5), and the
 * commands without an answer (CH9). Never: React, records, or what a frame means. Everything happens on the browser's
 * event loop; listeners are called synchronously, in order.
 */
import { type CloseReason, classifyClose } from "./closeReason";
import { CommandError, type SendCommand } from "./commands";
import {
  type Ack,
  type ClientMessage,
  type Command,
  type Frame,
  PROTOCOL_VERSION,
  type ProjectId,
  type ServerMessage,
  type Welcome,
} from "./generated";

export type ConnectionState =
  | { readonly status: "connecting" }
  | { readonly status: "live" }
  | { readonly status: "waiting"; readonly message: string; readonly retryAt: number }
  | { readonly status: "stopped"; readonly message: string; readonly canReload: boolean };

/** The part of `WebSocket` that is used, so that tests can stand in for it. */
export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number }) => void) | null;
  send(text: string): void;
  close(): void;
}

export interface ConnectionListener {
  /** The answer to hello; with `records` it replaces everything (CH3). */
  welcome(welcome: Welcome): void;
  /** Frames to apply, contiguous with what was applied before (CH5). */
  frames(frames: readonly Frame[]): void;
}

export interface ConnectionOptions {
  readonly open: () => Socket;
  readonly listener: ConnectionListener;
  readonly project?: ProjectId | null;
  readonly random?: () => number;
  /** This tab's name: the server knows a command it has done by this and the command's id (CH9). */
  readonly client?: string;
}

export const PING_INTERVAL_MS = 5_000;
export const PROBE_TIMEOUT_MS = 2_500;
export const HELLO_TIMEOUT_MS = 10_000;
export const FIRST_RETRY_MS = 250;
export const LAST_RETRY_MS = 8_000;

interface PendingCommand {
  readonly id: string;
  readonly command: Command;
  /** Where it was last sent: the socket, and the epoch behind it. Null: not sent yet. */
  sent: { readonly socket: Socket; readonly epoch: string | null } | null;
  readonly resolve: (ack: Ack) => void;
  readonly reject: (error: CommandError) => void;
}

type Timer = ReturnType<typeof setTimeout>;

export class Connection {
  private state: ConnectionState = { status: "connecting" };
  private readonly stateListeners = new Set<() => void>();
  private socket: Socket | null = null;
  private project: ProjectId | null;
  private epoch: string | null = null;
  private seq = 0;
  private attempt = 0;
  private refusal: string | null = null;
  private unansweredPings = 0;
  private messagesHeard = 0;
  private timer: Timer | null = null;
  private pingTimer: Timer | null = null;
  private readonly pending = new Map<string, PendingCommand>();
  private readonly random: () => number;
  private readonly client: string;
  private commandCount = 0;

  constructor(private readonly options: ConnectionOptions) {
    this.project = options.project ?? null;
    this.random = options.random ?? Math.random;
    this.client = options.client ?? newClientName();
  }

  /** Connects, and stays connected until `stop`. */
  start(): void {
    this.connect();
  }

  /** Closes for good; commands without an answer are rejected. */
  stop(message = "This page was closed."): void {
    this.end({ action: "stop", message });
  }

  getState = (): ConnectionState => this.state;

  subscribe = (listener: () => void): (() => void) => {
    this.stateListeners.add(listener);
    return () => this.stateListeners.delete(listener);
  };

  /** Sends now or, without a live connection, as soon as there is one; asked again with the same id until answered. */
  send: SendCommand = (command) =>
    new Promise<Ack>((resolve, reject) => {
      if (this.state.status === "stopped") {
        reject(new CommandError("stopped", "stopped", this.state.message));
        return;
      }
      const pending: PendingCommand = { id: String(++this.commandCount), command, sent: null, resolve, reject };
      this.pending.set(pending.id, pending);
      if (this.state.status === "live") this.transmitCommand(pending);
    });

  /** Shows another project on this connection; its welcome carries all of its records. */
  openProject(project: ProjectId): void {
    this.project = project;
    this.epoch = null;
    this.seq = 0;
    if (this.state.status === "live") {
      this.setState({ status: "connecting" });
      this.sayHello();
    } else {
      this.reconnect();
    }
  }

  /** The tab is visible or the network is back: prove the connection, or get a new one, now (CH5). */
  wake(): void {
    if (this.state.status === "waiting") {
      this.attempt = 0;
      this.connect();
    } else if (this.state.status === "live" && this.socket) {
      const heard = this.messagesHeard;
      this.transmit({ type: "ping" });
      this.setTimer(() => {
        if (this.messagesHeard === heard) this.reconnect();
      }, PROBE_TIMEOUT_MS);
    }
  }

  private connect(): void {
    this.clearTimers();
    this.dropSocket();
    this.setState({ status: "connecting" });
    this.refusal = null;
    const socket = this.options.open();
    this.socket = socket;
    socket.onopen = () => this.sayHello();
    socket.onmessage = (event) => {
      if (this.socket === socket) this.receive(JSON.parse(String(event.data)) as ServerMessage);
    };
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      const reason = classifyClose(event.code);
      this.closed({ ...reason, message: this.refusal ?? reason.message });
    };
    this.setTimer(() => this.closed(classifyClose(0)), HELLO_TIMEOUT_MS);
  }

  private sayHello(): void {
    this.transmit({
      type: "hello",
      protocol: PROTOCOL_VERSION,
      client: this.client,
      ...(this.project === null ? {} : { project: this.project }),
      ...(this.epoch === null ? {} : { epoch: this.epoch, seq: this.seq }),
    });
  }

  private receive(message: ServerMessage): void {
    this.unansweredPings = 0;
    this.messagesHeard += 1;
    switch (message.type) {
      case "welcome":
        this.welcomed(message);
        return;
      case "frames":
        // Between a hello and its welcome they belong to the project that was open before.
        if (this.state.status === "live") this.framesCame(message.frames);
        return;
      case "ack":
        this.take(message.id)?.resolve(message);
        return;
      case "rejected":
        // Without an id the connection itself is refused: its close code follows and says what to do.
        if (!message.id) this.refusal = message.message;
        else this.take(message.id)?.reject(new CommandError("rejected", message.code, message.message, message.hint));
        return;
      case "pong":
        return;
      default:
        message satisfies never;
    }
  }

  private welcomed(welcome: Welcome): void {
    this.clearTimers();
    this.project = welcome.project;
    this.epoch = welcome.epoch;
    if (!welcome.resumed) this.seq = welcome.seq;
    this.attempt = 0;
    this.options.listener.welcome(welcome);
    this.setState({ status: "live" });
    this.schedulePing();
    for (const pending of [...this.pending.values()]) {
      if (pending.sent?.socket === this.socket) continue;
      if (pending.sent === null || pending.sent.epoch === welcome.epoch) {
        this.transmitCommand(pending);
        continue;
      }
      // Another server process does not know this id: asking again could do it twice, so its asker has to look.
      this.take(pending.id)?.reject(
        new CommandError(
          "unknown",
          "unknown_outcome",
          "The server restarted before it answered.",
          "Check whether this was done before you try again.",
        ),
      );
    }
  }

  private framesCame(frames: readonly Frame[]): void {
    const fresh: Frame[] = [];
    for (const frame of frames) {
      if (frame.seq <= this.seq) continue;
      if ((frame.first || frame.seq) !== this.seq + 1) {
        this.deliver(fresh);
        this.reconnect();
        return;
      }
      this.seq = frame.seq;
      fresh.push(frame);
    }
    this.deliver(fresh);
  }

  private deliver(frames: readonly Frame[]): void {
    if (frames.length === 0) return;
    try {
      this.options.listener.frames(frames);
    } catch {
      // What is on screen can no longer be trusted: ask for everything again.
      this.epoch = null;
      this.closed({ action: "retry", message: "This page lost track and loads everything again." });
    }
  }

  private closed(reason: CloseReason): void {
    this.clearTimers();
    this.dropSocket();
    if (reason.action === "stop" || reason.action === "reload") {
      this.end(reason);
      return;
    }
    if (reason.action === "retry-without-project") {
      this.project = null;
      this.epoch = null;
      this.seq = 0;
    }
    const longest = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.attempt);
    const delay = longest / 2 + (longest / 2) * this.random();
    this.attempt += 1;
    this.setState({ status: "waiting", message: reason.message, retryAt: Date.now() + delay });
    this.setTimer(() => this.connect(), delay);
  }

  private reconnect(): void {
    if (this.state.status !== "stopped") this.connect();
  }

  private end(reason: CloseReason): void {
    this.clearTimers();
    this.dropSocket();
    this.setState({ status: "stopped", message: reason.message, canReload: reason.action === "reload" });
    for (const pending of [...this.pending.values()]) {
      this.take(pending.id)?.reject(new CommandError("stopped", "stopped", reason.message));
    }
  }

  private schedulePing(): void {
    this.unansweredPings = 0;
    const tick = () => {
      if (this.unansweredPings >= 2) {
        this.reconnect();
        return;
      }
      this.unansweredPings += 1;
      this.transmit({ type: "ping" });
      this.pingTimer = setTimeout(tick, PING_INTERVAL_MS);
    };
    this.pingTimer = setTimeout(tick, PING_INTERVAL_MS);
  }

  private transmitCommand(pending: PendingCommand): void {
    if (!this.socket) return;
    pending.sent = { socket: this.socket, epoch: this.epoch };
    this.transmit({ type: "do", id: pending.id, command: pending.command });
  }

  private transmit(message: ClientMessage): void {
    this.socket?.send(JSON.stringify(message));
  }

  private take(id: string): PendingCommand | undefined {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    return pending;
  }

  private setTimer(action: () => void, delayMs: number): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(action, delayMs);
  }

  private clearTimers(): void {
    if (this.timer) clearTimeout(this.timer);
    if (this.pingTimer) clearTimeout(this.pingTimer);
    this.timer = null;
    this.pingTimer = null;
  }

  private dropSocket(): void {
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onopen = null;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close();
  }

  private setState(state: ConnectionState): void {
    this.state = state;
    for (const listener of [...this.stateListeners]) listener();
  }
}

/** `crypto.randomUUID` is missing on plain HTTP, so the name is made here. */
function newClientName(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(3)), (part) => part.toString(36)).join("");
}
