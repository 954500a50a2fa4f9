/** What a message tells all its parts. */
import { createContext } from "react";
import { type Definitions, NO_DEFINITIONS } from "./grammar";

/** What the whole message defines: addresses and footnotes. */
export const DefinitionsContext = createContext<Definitions>(NO_DEFINITIONS);

/** Shows where a link leads, beside the element that was clicked. */
export type ShowLink = (address: string, from: HTMLElement) => void;

export const ShowLinkContext = createContext<ShowLink>(() => {});
