import { memo, type ReactNode } from "react";
import type { Align, BlockNode, ListItem, ListNode, TableNode } from "./blockNode";
import { CodeBlock } from "./CodeBlock";
import { Diagram } from "./Diagram";
import { Footnote } from "./Footnote";
import { Formula } from "./Formula";
import { Inline } from "./Inline";
import { Link } from "./Link";
import { PlainText } from "./PlainText";
import { useShown } from "./useShown";
import { itemWeight, rowWeight } from "./weight";

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

function List({ node, growing }: { readonly node: ListNode; readonly growing: boolean }) {
  const { items, start } = node;
  const [count, more] = useShown(items, itemWeight, "items");
  const shown = items
    .slice(0, count)
    .map((item, index) => <Item key={String(index)} item={item} growing={growing && index === items.length - 1} />);
  const className = node.goesOn ? "tf-md-goes-on" : undefined;
  const digits = start === null ? 0 : String(start + items.length - 1).length;
  return (
    <>
      {start === null ? (
        <ul className={className}>{shown}</ul>
      ) : (
        <ol
          className={className}
          start={start}
          style={digits > 2 ? { paddingInlineStart: `${digits + 1.5}ch` } : undefined}
        >
          {shown}
        </ol>
      )}
      {more}
    </>
  );
}

const Item = memo(function Item({ item, growing }: { readonly item: ListItem; readonly growing: boolean }) {
  return (
    <li dir="auto" className={item.checked === null ? undefined : "tf-md-task"}>
      {item.checked !== null && (
        <input type="checkbox" checked={item.checked} disabled aria-label={item.checked ? "Done" : "Open"} />
      )}
      <Blocks nodes={item.children} growing={growing} />
    </li>
  );
});

function Table({ node, growing }: { readonly node: TableNode; readonly growing: boolean }) {
  const [count, more] = useShown(node.rows, rowWeight, "rows");
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
});
