/** Commands as a person's code sends them: a promise of the ack, or a typed refusal. */
import type { Ack, Command } from "./generated";

/** Sends one command; resolves with its ack, rejects with `CommandError` (CH8). */
export type SendCommand = (command: Command) => Promise<Ack>;

/** `rejected`: the server refused and changed nothing. `unknown`: the connection ended before an answer came. */
export type CommandErrorKind = "rejected" | "unknown" | "stopped";

/** Why a command has no ack. `message` is for the reader, `hint` says what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";

  constructor(
    readonly kind: CommandErrorKind,
    readonly code: string,
    message: string,
    readonly hint: string = "",
  ) {
    super(message);
  }
}

/** Whether it was refused for being more than the model can take in: then a person decides what goes (C7). */
export function isFull(error: unknown): boolean {
  return error instanceof CommandError && error.code === "context_full";
}

/** The words for a failure of `send`, whatever was thrown. */
export function wordsFor(error: unknown): string {
  if (error instanceof CommandError) return error.hint ? `${error.message} ${error.hint}` : error.message;
  return error instanceof Error ? error.message : String(error);
}
