/** What a block says as plain text: for readers of text alone, and for what is not drawn. */
import type { BlockNode } from "./blockNode";

export function blockText(node: BlockNode): string {
  switch (node.kind) {
    case "paragraph":
    case "heading":
    case "code":
    case "plain":
      return node.text;
    case "quote":
    case "footnote":
      return node.children.map(blockText).join("\n");
    case "list":
      return node.items.map((item) => item.children.map(blockText).join("\n")).join("\n");
    case "table":
      return [node.head, ...node.rows].map((cells) => cells.join("\t")).join("\n");
    case "formula":
      return node.source;
    case "definition":
      return `[${node.label}]: ${node.href}`;
    case "rule":
      return "";
  }
}
