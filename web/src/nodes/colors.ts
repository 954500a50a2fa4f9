import type { NodeColor } from "../wire/generated";

/** The colours that notes and groups may have, in the order of menus. */
export const NODE_COLORS: readonly { readonly color: NodeColor; readonly words: string }[] = [
  { color: "yellow", words: "Yellow" },
  { color: "green", words: "Green" },
  { color: "blue", words: "Blue" },
  { color: "pink", words: "Pink" },
  { color: "grey", words: "Grey" },
];
