import { memo, type ReactNode, useContext, useMemo } from "react";
import { citedText } from "./citedText";
import { CitationContext, DefinitionsContext, type DrawCitation } from "./contexts";
import { FootnoteReference } from "./Footnote";
import { Formula } from "./Formula";
import { inlineTokens, NO_DEFINITIONS } from "./grammar";
import type { Token } from "./grammarTypes";
import { withOpenClosed } from "./growing";
import { Image, Link } from "./Link";
import { LIMITS, MAX_INLINE_DEPTH, MAX_INLINE_TOKENS } from "./limits";
import { withoutMarkRuns } from "./markRuns";
import { PlainText } from "./PlainText";

interface InlineProps {
  readonly text: string;
  /** True where more text may follow: what is open is drawn as if it were closed. */
  readonly growing?: boolean;
  /** True inside a table cell. */
  readonly cell?: boolean;
}

/** The text of one paragraph, heading, item or cell. Read again only when it, or what it refers to, has changed. */
export const Inline = memo(function Inline({ text, growing = false, cell = false }: InlineProps) {
  const all = useContext(DefinitionsContext);
  const cite = useContext(CitationContext);
  const definitions = text.includes("[") ? all : NO_DEFINITIONS;
  return useMemo(() => {
    if (text.length > LIMITS.inlineCharacters) return <PlainText text={text} reason="long" />;
    const tokens = inlineTokens(growing ? withOpenClosed(text) : text, definitions, cell);
    if (tokens.length > MAX_INLINE_TOKENS) return <PlainText text={text} reason="long" />;
    return drawTokens(tokens, cite);
  }, [text, growing, cell, definitions, cite]);
});

function drawTokens(tokens: readonly Token[], cite: DrawCitation | null): ReactNode[] {
  let at = 0;
  let links = 0;
  function draw(depth: number): ReactNode[] {
    const nodes: ReactNode[] = [];
    let text = "";
    const endText = () => {
      if (text !== "") nodes.push(cite && links === 0 ? citedText(text, cite) : withoutMarkRuns(text));
      text = "";
    };
    for (;;) {
      const token = tokens[at++];
      if (!token || token.nesting === -1) break;
      if (token.nesting === 1) {
        endText();
        if (token.type === "link_open") links += 1;
        const inner = draw(depth + 1);
        if (token.type === "link_open") links -= 1;
        if (depth >= MAX_INLINE_DEPTH) for (const node of inner) nodes.push(node);
        else nodes.push(wrapped(token, inner, at));
      } else if (token.type === "text" || token.type === "text_special") text += token.content;
      else if (token.type === "softbreak") text += "\n";
      else {
        endText();
        nodes.push(leaf(token, at));
      }
    }
    endText();
    return nodes;
  }
  return draw(0);
}

function wrapped(token: Token, children: ReactNode[], key: number): ReactNode {
  switch (token.type) {
    case "em_open":
      return <em key={key}>{children}</em>;
    case "strong_open":
      return <strong key={key}>{children}</strong>;
    case "s_open":
      return <s key={key}>{children}</s>;
    case "link_open":
      return (
        <Link key={key} href={attribute(token, "href")} title={attribute(token, "title")}>
          {children}
        </Link>
      );
    default:
      return <span key={key}>{children}</span>;
  }
}

function leaf(token: Token, key: number): ReactNode {
  switch (token.type) {
    case "code_inline":
      return (
        <code key={key} className="tf-md-inline-code" dir="ltr">
          {token.content}
        </code>
      );
    case "hardbreak":
      return <br key={key} />;
    case "image":
      return <Image key={key} src={attribute(token, "src")} alt={wordsOf(token)} title={attribute(token, "title")} />;
    case "formula":
      return (
        <Formula key={key} tex={token.content} source={token.markup} display={token.meta?.display === true} closed />
      );
    case "footnote_reference":
      return <FootnoteReference key={key} label={token.content} />;
    default:
      return token.content;
  }
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? "");
}

function wordsOf(image: Token): string {
  return (image.children ?? []).map((child) => (child.type === "image" ? wordsOf(child) : child.content)).join("");
}
