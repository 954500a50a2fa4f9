/** Hands the one client of this page to its components; no module-level state, so two can live in one test. */
import { createContext, useContext } from "react";
import type { Client } from "./client";

const TalkfieldContext = createContext<Client | null>(null);

export const TalkfieldProvider = TalkfieldContext.Provider;

/** The client of this page. Throws outside a `TalkfieldProvider`: that is a mistake in the code. */
export function useTalkfield(): Client {
  const client = useContext(TalkfieldContext);
  if (!client) throw new Error("useTalkfield needs a TalkfieldProvider above it");
  return client;
}
