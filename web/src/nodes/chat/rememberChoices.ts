/** What a decision may be remembered for, as the choices of a list; pure (T7). */
import type { Remember, RuleOffer } from "../../wire/generated";

export interface RememberChoice {
  readonly words: string;
  /** Absent: only this once. */
  readonly remember?: Remember;
  /** The person writes the pattern; the one of `remember` is where they begin. */
  readonly written?: boolean;
}

const SCOPES = [
  { scope: "chat", words: "In this chat" },
  { scope: "project", words: "In this project" },
] as const;

/** `inChat`: the call is about a chat, for which alone it could be remembered. */
export function rememberChoices(offers: readonly RuleOffer[], inChat: boolean): readonly RememberChoice[] {
  const scopes = inChat ? SCOPES : SCOPES.slice(1);
  const first = offers.find(({ kind }) => kind === "path" || kind === "command");
  const kept = scopes.flatMap(({ scope, words }): RememberChoice[] => [
    ...offers.map(({ kind, pattern, words: what }) => ({
      words: `${words}: ${what}`,
      remember: { scope, kind, pattern },
    })),
    ...(first
      ? [
          {
            words: `${words}: another ${first.kind === "path" ? "path" : "command"}…`,
            remember: { scope, kind: first.kind, pattern: first.pattern },
            written: true,
          },
        ]
      : []),
  ]);
  return [{ words: "Only this once" }, ...kept];
}
