/** Sends a command from a place that shows by itself that it is under way, and what went wrong. */
import { useState } from "react";
import { useTalkfield } from "../../Talkfield";
import { wordsFor } from "../../wire/commands";
import type { Command } from "../../wire/generated";

export interface CommandState {
  readonly busy: boolean;
  readonly problem: string;
  /** True when it was done. */
  readonly run: (command: Command) => Promise<boolean>;
}

export function useCommand(): CommandState {
  const { send } = useTalkfield();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const run = async (command: Command) => {
    setBusy(true);
    setProblem("");
    try {
      await send(command);
      return true;
    } catch (error) {
      setProblem(wordsFor(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, run };
}
