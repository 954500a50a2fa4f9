/** Sends a command from a place that shows by itself that it is under way, and what went wrong. */
import { useState } from "react";
import { useTalkfield } from "./Talkfield";
import { wordsFor } from "./wire/commands";
import type { Ack, Command } from "./wire/generated";

export interface CommandState {
  readonly busy: boolean;
  readonly problem: string;
  /** The ack when it was done, null when it was refused. */
  readonly run: (command: Command) => Promise<Ack | null>;
}

export function useCommand(): CommandState {
  const { send } = useTalkfield();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const run = async (command: Command) => {
    setBusy(true);
    setProblem("");
    try {
      return await send(command);
    } catch (error) {
      setProblem(wordsFor(error));
      return null;
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, run };
}
