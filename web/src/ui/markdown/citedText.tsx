import { Fragment, type ReactNode } from "react";
import type { DrawCitation } from "./contexts";
import { withoutMarkRuns } from "./markRuns";

const NUMBERS = /\[\d{1,2}(?:\s*[,;]\s*\d{1,2})*\]/g;

/** The text with each number in brackets that cites something as a way there; not a character more or less. */
export function citedText(text: string, cite: DrawCitation): ReactNode {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const { index, 0: brackets } of text.matchAll(NUMBERS)) {
    parts.push(<Fragment key={end}>{withoutMarkRuns(text.slice(end, index))}</Fragment>);
    parts.push(<Fragment key={`${index} cited`}>{cited(brackets, cite)}</Fragment>);
    end = index + brackets.length;
  }
  if (end === 0) return withoutMarkRuns(text);
  parts.push(<Fragment key={end}>{withoutMarkRuns(text.slice(end))}</Fragment>);
  return parts;
}

function cited(brackets: string, cite: DrawCitation): ReactNode {
  const inner = brackets.slice(1, -1);
  if (/^\d+$/.test(inner)) return cite(Number(inner), brackets) ?? brackets;
  const pieces = brackets.split(/(\d+)/);
  return pieces.map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text stay in their places.
    <Fragment key={at}>{at % 2 === 1 ? (cite(Number(piece), piece) ?? piece) : piece}</Fragment>
  ));
}
