import { memo, type ReactNode, useState } from "react";
import { Button } from "../Button";
import type { Align, BlockNode, ListNode, TableNode } from "./blockNode";
import { CodeBlock } from "./CodeBlock";
import { Diagram } from "./Diagram";
import { Footnote } from "./Footnote";
import { Formula } from "./Formula";
import { Inline } from "./Inline";
import { Link } from "./Link";
import { MAX_ITEMS_SHOWN, MAX_ROWS_SHOWN } from "./limits";
import { PlainText } from "./PlainText";

interface BlocksProps {
  readonly nodes: readonly BlockNode[];
  /** True where the last of them is still being written. */
  readonly growing: boolean;
}

/** Blocks in their order. A block never changes its place, so its place is its key. */
export function Blocks({ nodes, growing }: BlocksProps) {
  return nodes.map((node, index) => (
    <Block key={String(index)} node={node} growing={growing && index === nodes.length - 1} />
  ));
}

interface BlockProps {
  readonly node: BlockNode;
  readonly growing: boolean;
}

const Block = memo(function Block({ node, growing }: BlockProps): ReactNode {
  switch (node.kind) {
    case "paragraph":
      return node.tight ? (
        <Inline text={node.text} growing={growing} />
      ) : (
        <p dir="auto">
          <Inline text={node.text} growing={growing} />
        </p>
      );
    case "heading": {
      const Heading = `h${node.level}` as const;
      return (
        <Heading dir="auto">
          <Inline text={node.text} growing={growing} />
        </Heading>
      );
    }
    case "code":
      return node.info.toLowerCase() === "mermaid" && !(growing && !node.closed) ? (
        <Diagram source={node.text} info={node.info} />
      ) : (
        <CodeBlock text={node.text} info={node.info} growing={growing && !node.closed} />
      );
    case "quote":
      return (
        <blockquote dir="auto">
          <Blocks nodes={node.children} growing={growing} />
        </blockquote>
      );
    case "list":
      return <List node={node} growing={growing} />;
    case "table":
      return <Table node={node} growing={growing} />;
    case "rule":
      return <hr />;
    case "formula":
      return <Formula tex={node.text} source={node.source} display closed={node.closed} />;
    case "footnote":
      return (
        <Footnote label={node.label}>
          <Blocks nodes={node.children} growing={growing} />
        </Footnote>
      );
    case "definition":
      return (
        <p className="tf-md-definition" dir="auto">
          [{node.label}]:{" "}
          <Link href={node.href} title={node.title}>
            {node.href}
          </Link>
          {node.title && ` “${node.title}”`}
        </p>
      );
    case "plain":
      return <PlainText text={node.text} reason={node.reason} />;
  }
});

/** How many of `total` are shown, and the button that shows more. */
function useShown(total: number, step: number, what: string): [count: number, more: ReactNode] {
  const [limit, setLimit] = useState(step);
  if (total <= limit) return [total, null];
  const next = Math.min(step, total - limit);
  return [
    limit,
    <div key="more" className="tf-md-more">
      <Button look="quiet" size="small" onClick={() => setLimit(limit + step)}>
        Show {next} more of {total - limit} {what}
      </Button>
    </div>,
  ];
}

function List({ node, growing }: { readonly node: ListNode; readonly growing: boolean }) {
  const [count, more] = useShown(node.items.length, MAX_ITEMS_SHOWN, "items");
  const items = node.items.slice(0, count).map((item, index) => (
    <li key={String(index)} dir="auto" className={item.checked === null ? undefined : "tf-md-task"}>
      {item.checked !== null && (
        <input type="checkbox" checked={item.checked} disabled aria-label={item.checked ? "Done" : "Open"} />
      )}
      <Blocks nodes={item.children} growing={growing && index === node.items.length - 1} />
    </li>
  ));
  if (node.start === null) {
    return (
      <>
        <ul>{items}</ul>
        {more}
      </>
    );
  }
  const digits = String(node.start + node.items.length - 1).length;
  return (
    <>
      <ol start={node.start} style={digits > 2 ? { paddingInlineStart: `${digits + 1.5}ch` } : undefined}>
        {items}
      </ol>
      {more}
    </>
  );
}

function Table({ node, growing }: { readonly node: TableNode; readonly growing: boolean }) {
  const [count, more] = useShown(node.rows.length, MAX_ROWS_SHOWN, "rows");
  const last = node.rows.length - 1;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, also by keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be a landmark of the page. */}
      <div className="tf-md-table" role="group" aria-label="Table" tabIndex={0}>
        <table>
          <thead>
            <Row cells={node.head} aligns={node.aligns} head growing={growing && last < 0} />
          </thead>
          {node.rows.length > 0 && (
            <tbody>
              {node.rows.slice(0, count).map((cells, index) => (
                <Row key={String(index)} cells={cells} aligns={node.aligns} growing={growing && index === last} />
              ))}
            </tbody>
          )}
        </table>
      </div>
      {more}
    </>
  );
}

interface RowProps {
  readonly cells: readonly string[];
  readonly aligns: readonly Align[];
  readonly head?: boolean;
  readonly growing: boolean;
}

const Row = memo(function Row({ cells, aligns, head = false, growing }: RowProps) {
  const Cell = head ? "th" : "td";
  const lastFilled = growing ? cells.findLastIndex((cell) => cell !== "") : -1;
  return (
    <tr>
      {cells.map((cell, index) => (
        <Cell key={String(index)} dir="auto" data-align={aligns[index] ?? undefined}>
          <Inline text={cell} cell growing={index === lastFilled} />
        </Cell>
      ))}
    </tr>
  );
}, sameRow);

/** A growing table is read anew with each update; its rows are the same ones when they say the same. */
function sameRow(before: RowProps, after: RowProps): boolean {
  return (
    before.growing === after.growing &&
    before.cells.length === after.cells.length &&
    before.cells.every((cell, index) => cell === after.cells[index]) &&
    before.aligns.every((align, index) => align === after.aligns[index])
  );
}
