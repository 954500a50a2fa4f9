import type { Socket } from "./connection";

/** A WebSocket to `path` on the server this page came from. */
export function openSocket(path: string): Socket {
  const address = new URL(path, window.location.href.replace(/^http/, "ws"));
  // Its handlers take more than `Socket` says, and give them more than ours use.
  return new WebSocket(address) as unknown as Socket;
}
