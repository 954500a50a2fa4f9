/** What a message tells all its parts. */
import { createContext, type ReactNode } from "react";
import { type Definitions, NO_DEFINITIONS } from "./grammar";

/** What the whole message defines: addresses and footnotes. */
export const DefinitionsContext = createContext<Definitions>(NO_DEFINITIONS);

/** Shows where a link leads, beside the element that was clicked. */
export type ShowLink = (address: string, from: HTMLElement) => void;

export const ShowLinkContext = createContext<ShowLink>(() => {});

/** Draws a number in brackets as what it cites; null where it cites nothing. */
export type DrawCitation = (number: number, words: string) => ReactNode;

/** Null: numbers in brackets cite nothing in this message. */
export const CitationContext = createContext<DrawCitation | null>(null);
