/** Which slash commands fit what is typed; pure. Whether a text is a command is the server's decision (C5). */
import type { SlashCommandInfo } from "../../wire/generated";

/** Commands whose name begins with what is typed; none once there is more than one word. */
export function slashMatches(text: string, commands: readonly SlashCommandInfo[]): readonly SlashCommandInfo[] {
  const typed = /^\/(\S*)$/.exec(text)?.[1]?.toLowerCase();
  if (typed === undefined) return [];
  return commands.filter((command) => bareName(command).startsWith(typed));
}

/** The text that choosing a command puts into the composer. */
export function completed(command: SlashCommandInfo): string {
  return command.argument ? `/${bareName(command)} ` : `/${bareName(command)}`;
}

export function bareName(command: SlashCommandInfo): string {
  return command.name.replace(/^\//, "").toLowerCase();
}
