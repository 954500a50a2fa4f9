/** Every key of the canvas and of a chat in words, for the map that `?` shows; docs/keyboard.md says the same. */
export interface KeyLine {
  readonly keys: string;
  readonly words: string;
}

export const KEY_MAP: readonly { readonly title: string; readonly lines: readonly KeyLine[] }[] = [
  {
    title: "Canvas",
    lines: [
      { keys: "N", words: "New chat" },
      { keys: "S", words: "New sticky note" },
      { keys: "G", words: "Group what is selected, or a new group" },
      { keys: "F", words: "Show everything" },
      { keys: "T", words: "Tidy in a grid" },
      { keys: "Shift T", words: "Tidy by lineage" },
      { keys: "R", words: "Update links whose source has changed" },
      { keys: "/ or Ctrl K", words: "Search and commands" },
      { keys: "Alt ← →", words: "Back and forward through places" },
      { keys: "Alt PageUp, PageDown", words: "Project before, next project" },
      { keys: "Ctrl Z, Ctrl Y", words: "Undo, redo" },
      { keys: "?", words: "This map" },
    ],
  },
  {
    title: "What is selected",
    lines: [
      { keys: "Tab, Space", words: "Next node, select it" },
      { keys: "Shift and drag", words: "Select with a box" },
      { keys: "Ctrl click", words: "Add to the selection" },
      { keys: "Ctrl A", words: "Select everything" },
      { keys: "← ↑ → ↓", words: "Move it" },
      { keys: "Enter", words: "Go into it" },
      { keys: "O", words: "Full screen; Escape leads back" },
      { keys: "H", words: "Fold to the header, unfold" },
      { keys: "Ctrl D", words: "Duplicate" },
      { keys: "Ctrl C, Ctrl V", words: "Copy, paste, in other projects too" },
      { keys: "Delete", words: "Close" },
    ],
  },
  {
    title: "Chat",
    lines: [
      { keys: "Enter", words: "Send" },
      { keys: "Shift Enter", words: "New line" },
      { keys: "/", words: "Slash commands" },
      { keys: "B", words: "Ask in a branch about the selected text" },
      { keys: "Escape", words: "Back to the canvas" },
    ],
  },
  {
    title: "Card that waits for you",
    lines: [
      { keys: "A", words: "Approve" },
      { keys: "D", words: "Deny" },
      { keys: "E", words: "Edit the arguments" },
      { keys: "↑ ↓", words: "Card before, card after" },
    ],
  },
];
