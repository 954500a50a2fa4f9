import { Check, Copy, WrapText } from "lucide-react";
import { memo, type ReactNode, useEffect, useMemo, useState } from "react";
import { IconButton } from "../Button";
import { copyText } from "../copyText";
import { CODE_KINDS, type Runs } from "./codeKinds";
import { pageHighlighter } from "./highlighter";
import { LANGUAGES, languageLabel, languageOf } from "./language";
import { MAX_HIGHLIGHTED_CHARACTERS } from "./limits";
import { Chunk, Chunks, LONG_TEXT_CHUNKS } from "./PlainText";
import { textChunks } from "./textChunks";

interface CodeBlockProps {
  readonly text: string;
  /** What stands after the opening fence. */
  readonly info: string;
  /** True while it is being written: it is coloured when it is done, so that it never holds up the stream. */
  readonly growing: boolean;
  /** More buttons for its bar. */
  readonly actions?: ReactNode;
}

export const CodeBlock = memo(function CodeBlock({ text, info, growing, actions }: CodeBlockProps) {
  const [wraps, setWraps] = useState(false);
  const [copied, setCopied] = useState(false);
  const language = languageOf(info);
  const label = (language && LANGUAGES[language]?.name) || languageLabel(info);
  const runs = useRuns(text, growing ? null : language);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div className="tf-md-code" role="group" aria-label={label ? `Code, ${label}` : "Code"}>
      <div className="tf-md-code-bar">
        <span className="tf-md-code-label">{label || "Text"}</span>
        {actions}
        <IconButton small label="Wrap long lines" aria-pressed={wraps} onClick={() => setWraps(!wraps)}>
          <WrapText size={14} />
        </IconButton>
        <IconButton
          small
          label={copied ? "Copied" : "Copy code"}
          onClick={() => void copyText(text).then((done) => setCopied(done))}
        >
          {copied ? <Check size={14} /> : <Copy size={14} />}
        </IconButton>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, also by keyboard. */}
      <pre className="tf-md-pre" dir="ltr" tabIndex={0} data-wraps={wraps}>
        <code>{runs ? <ColouredChunks text={text} runs={runs} /> : <Chunks text={text} />}</code>
      </pre>
    </div>
  );
});

/** Kinds of the parts of `text`; null until they are known. */
function useRuns(text: string, language: string | null): Runs | null {
  const wanted = language !== null && text.length <= MAX_HIGHLIGHTED_CHARACTERS ? language : null;
  const [answer, setAnswer] = useState<{
    readonly text: string;
    readonly language: string;
    readonly runs: Runs;
  } | null>(() => {
    const runs = wanted && pageHighlighter.known(text, wanted);
    return runs ? { text, language: wanted, runs } : null;
  });
  const isAnswered = answer !== null && answer.text === text && answer.language === wanted;
  useEffect(() => {
    if (!wanted || isAnswered) return;
    return pageHighlighter.request(text, wanted, (runs) => runs && setAnswer({ text, language: wanted, runs }));
  }, [text, wanted, isAnswered]);
  return isAnswered ? answer.runs : null;
}

/** The pieces of code with their colours: the first ones at once, more with each update. */
function ColouredChunks({ text, runs }: { readonly text: string; readonly runs: Runs }) {
  const chunks = useMemo(() => textChunks(text), [text]);
  const coloured = useMemo(() => colouredChunks(chunks, runs), [chunks, runs]);
  const [count, setCount] = useState(CHUNKS_PER_STEP);
  const goesOn = count < chunks.length;
  useEffect(() => {
    if (!goesOn) return;
    const timer = setTimeout(() => setCount(count + CHUNKS_PER_STEP), STEP_MS);
    return () => clearTimeout(timer);
  }, [goesOn, count]);
  const isLong = chunks.length >= LONG_TEXT_CHUNKS;
  return chunks.map((chunk, index) => (
    <Chunk key={String(index)} text={chunk} isLong={isLong && index < chunks.length - 1}>
      {index < count ? coloured[index] : undefined}
    </Chunk>
  ));
}

const CHUNKS_PER_STEP = 2;
const STEP_MS = 16;

function colouredChunks(chunks: readonly string[], runs: Runs): readonly ReactNode[] {
  let run = 0;
  let left = runs[1] ?? 0;
  return chunks.map((chunk) => {
    const parts: ReactNode[] = [];
    for (let at = 0; at < chunk.length; ) {
      const length = Math.min(left, chunk.length - at) || chunk.length - at;
      const kind = CODE_KINDS[runs[run] ?? 0] ?? "plain";
      const part = chunk.slice(at, at + length);
      parts.push(
        kind === "plain" ? (
          part
        ) : (
          <span key={at} className={`tf-md-${kind}`}>
            {part}
          </span>
        ),
      );
      at += length;
      left -= length;
      if (left <= 0) {
        run += 2;
        left = runs[run + 1] ?? 0;
      }
    }
    return parts;
  });
}
