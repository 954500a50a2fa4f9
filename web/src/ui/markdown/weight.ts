/** What it costs to put a block into the page, in elements: a measure to spread long replies over several updates. */
import type { BlockNode, ListItem } from "./blockNode";

const known = new WeakMap<object, number>();

const CODE_BLOCK = 22;
const CHARACTERS_PER_LINE_BOX = 120;
const PLAIN_CHUNK = 4_096;

export function blockWeight(node: BlockNode): number {
  let weight = known.get(node);
  if (weight === undefined) {
    weight = weigh(node);
    known.set(node, weight);
  }
  return weight;
}

export function itemWeight(item: ListItem): number {
  let weight = known.get(item);
  if (weight === undefined) {
    weight = sum(item.children) + 1;
    known.set(item, weight);
  }
  return weight;
}

export function rowWeight(cells: readonly string[]): number {
  let weight = 1;
  for (const cell of cells) weight += 1 + textWeight(cell);
  return weight;
}

function weigh(node: BlockNode): number {
  switch (node.kind) {
    case "paragraph":
    case "heading":
      return 1 + textWeight(node.text);
    case "code":
      return CODE_BLOCK + node.text.length / PLAIN_CHUNK;
    case "quote":
    case "footnote":
      return 2 + sum(node.children);
    case "list":
      return 1 + node.items.reduce((total, item) => total + itemWeight(item), 0);
    case "table":
      return 4 + node.rows.reduce((total, cells) => total + rowWeight(cells), rowWeight(node.head));
    case "definition":
      return 3;
    case "plain":
      return 3 + node.text.length / PLAIN_CHUNK;
    case "rule":
      return 1;
    case "formula":
      return 4;
  }
}

function sum(nodes: readonly BlockNode[]): number {
  return nodes.reduce((total, node) => total + blockWeight(node), 0);
}

/** Each pair of markers may make an element; long text makes many lines. */
function textWeight(text: string): number {
  let markers = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x2a || code === 0x5f || code === 0x60 || code === 0x5b || code === 0x24) markers++;
  }
  return markers / 2 + text.length / CHARACTERS_PER_LINE_BOX;
}
