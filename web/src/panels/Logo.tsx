/** Two chats, side by side. */
export function Logo() {
  return (
    <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
      <path
        fill="var(--accent)"
        d="M6 4h10a4 4 0 0 1 4 4v6a4 4 0 0 1-4 4h-4l-6 6v-6a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4z"
        opacity="0.55"
      />
      <path fill="var(--accent)" d="M18 12h8a4 4 0 0 1 4 4v5a4 4 0 0 1-4 4v5l-5-5h-3a4 4 0 0 1-4-4v-5a4 4 0 0 1 4-4z" />
    </svg>
  );
}
