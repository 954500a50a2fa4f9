/** What a closed socket means for the connection; pure. */
import { CLOSE_CODES } from "./generated";

/**
 * `retry`: connect again and go on. `retry-without-project`: the project is gone, take the one opened last.
 * `reload`: this page is older or newer than the server. `stop`: trying again cannot help.
 */
export type CloseAction = "retry" | "retry-without-project" | "reload" | "stop";

export interface CloseReason {
  readonly action: CloseAction;
  readonly message: string;
}

const REASONS: Record<keyof typeof CLOSE_CODES, CloseReason> = {
  going_away: { action: "retry", message: "The server is restarting." },
  bad_message: {
    action: "reload",
    message: "The server did not understand this page. Reload it to get the version that fits.",
  },
  bad_protocol: {
    action: "reload",
    message: "The server was updated. Reload this page to get the version that fits.",
  },
  unauthorised: {
    action: "stop",
    message: "This browser is not signed in. Open the address that `talkfield open` prints.",
  },
  unknown_project: { action: "retry-without-project", message: "This project no longer exists." },
  too_slow: { action: "retry", message: "This page fell behind and catches up." },
  replaced: { action: "retry", message: "The connection was replaced." },
};

/** Network loss, a killed server and unknown codes are all worth another try. */
const LOST: CloseReason = { action: "retry", message: "The connection to the server was lost." };

/** Maps a WebSocket close code to what to do next (CH10). */
export function classifyClose(code: number): CloseReason {
  const names = Object.keys(CLOSE_CODES) as (keyof typeof CLOSE_CODES)[];
  const name = names.find((candidate) => CLOSE_CODES[candidate] === code);
  return name ? REASONS[name] : LOST;
}
