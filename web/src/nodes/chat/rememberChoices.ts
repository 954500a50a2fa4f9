/** What a decision may be remembered for, as the choices of a list; pure (T7). */
import type { Remember, RuleOffer } from "../../wire/generated";

export interface RememberChoice {
  readonly words: string;
  /** Absent: only this once. */
  readonly remember?: Remember;
}

const SCOPES = [
  { scope: "chat", words: "In this chat" },
  { scope: "project", words: "In this project" },
] as const;

/** `inChat`: the call is about a chat, for which alone it could be remembered. */
export function rememberChoices(offers: readonly RuleOffer[], inChat: boolean): readonly RememberChoice[] {
  const scopes = inChat ? SCOPES : SCOPES.slice(1);
  const kept = scopes.flatMap(({ scope, words }) =>
    offers.map(({ kind, pattern, words: what }) => ({
      words: `${words}: ${what}`,
      remember: { scope, kind, pattern },
    })),
  );
  return [{ words: "Only this once" }, ...kept];
}
