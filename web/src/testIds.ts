/**
 * Every `data-testid` of the UI, for end-to-end tests; none is ever built from a value.
 *
 * canvas; chat-node and sticky-node (both with data-node-id); chat-card: a chat zoomed out; chat-title, composer, send,
 * stop, status, model-picker, tokens, cost, context-meter, close-node, latest: parts of a chat; message (with data-role
 * and data-message-id), message-content, thinking, copy, edit-message, message-editor, regenerate, delete-message, retry;
 * tool-card (with data-status), approve, deny;
 * refusal: why the composer's text was not sent; queued (one for each text that waits), queued-remove; slash-menu; first-composer: the composer of an empty canvas;
 * add-chat, add-sticky, undo, redo, fit, settings-open, projects-menu, inbox, save-state: the top bar;
 * shelf-open, shelf, shelf-search, shelf-entry, shelf-reader, shelf-restore, shelf-discard, shelf-discard-sure: the shelf;
 * connection-banner; notice: what went wrong with a command; announcer: the live region.
 */
export const TEST_IDS = {
  canvas: "canvas",
  chatNode: "chat-node",
  chatCard: "chat-card",
  stickyNode: "sticky-node",
  chatTitle: "chat-title",
  composer: "composer",
  send: "send",
  stop: "stop",
  status: "status",
  modelPicker: "model-picker",
  tokens: "tokens",
  cost: "cost",
  contextMeter: "context-meter",
  closeNode: "close-node",
  latest: "latest",
  message: "message",
  messageContent: "message-content",
  thinking: "thinking",
  copy: "copy",
  editMessage: "edit-message",
  messageEditor: "message-editor",
  regenerate: "regenerate",
  deleteMessage: "delete-message",
  retry: "retry",
  toolCard: "tool-card",
  approve: "approve",
  deny: "deny",
  refusal: "refusal",
  queued: "queued",
  queuedRemove: "queued-remove",
  slashMenu: "slash-menu",
  firstComposer: "first-composer",
  addChat: "add-chat",
  addSticky: "add-sticky",
  undo: "undo",
  redo: "redo",
  fit: "fit",
  settingsOpen: "settings-open",
  settings: "settings",
  projectsMenu: "projects-menu",
  inbox: "inbox",
  saveState: "save-state",
  shelfOpen: "shelf-open",
  shelf: "shelf",
  shelfSearch: "shelf-search",
  shelfEntry: "shelf-entry",
  shelfReader: "shelf-reader",
  shelfRestore: "shelf-restore",
  shelfDiscard: "shelf-discard",
  shelfDiscardSure: "shelf-discard-sure",
  connectionBanner: "connection-banner",
  notice: "notice",
  announcer: "announcer",
} as const;
