import { memo } from "react";
import type { PlainReason } from "./blockNode";
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
  // Pieces never change places: their index is what they are.
  return chunks.map((chunk, index) => <Chunk key={String(index)} text={chunk} />);
}

const Chunk = memo(function Chunk({ text }: { readonly text: string }) {
  return <span className="tf-md-chunk">{text}</span>;
});
