import { type CSSProperties, memo, type ReactNode } from "react";
import type { PlainReason } from "./blockNode";
import { withoutMarkRuns } from "./markRuns";
import { textChunks } from "./textChunks";

interface PlainTextProps {
  readonly text: string;
  readonly reason: PlainReason;
}

const NOTES: Record<PlainReason, string> = {
  long: "Shown as plain text: too long to format.",
  deep: "Shown as plain text: nested too deep to format.",
};

/** Text as it was written, with a word on why. */
export function PlainText({ text, reason }: PlainTextProps) {
  return (
    <span className="tf-md-plain">
      <span className="tf-md-note">{NOTES[reason]}</span>
      <Chunks text={text} />
    </span>
  );
}

/** Long text in pieces, of which only the last changes while it grows. */
export function Chunks({ text }: { readonly text: string }) {
  const chunks = textChunks(text);
  const isLong = chunks.length >= LONG_TEXT_CHUNKS;
  // Pieces never change places: their index is what they are.
  return chunks.map((chunk, index) => (
    <Chunk key={String(index)} text={chunk} isLong={isLong && index < chunks.length - 1} />
  ));
}

interface ChunkProps {
  readonly text: string;
  /** True where the text has so many pieces that those out of sight are not laid out. */
  readonly isLong: boolean;
  /** The same text with its colours. */
  readonly children?: ReactNode;
}

export const LONG_TEXT_CHUNKS = 4;

export const Chunk = memo(function Chunk({ text, isLong, children = withoutMarkRuns(text) }: ChunkProps) {
  if (!isLong) return <span className="tf-md-chunk">{children}</span>;
  return (
    <span className="tf-md-chunk tf-md-far" style={{ "--lines": lineCount(text) } as CSSProperties}>
      {children}
    </span>
  );
});

function lineCount(text: string): number {
  let count = 0;
  let start = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", start)) {
    count++;
    start = at + 1;
  }
  return start < text.length ? count + 1 : count;
}
