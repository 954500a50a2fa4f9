import "@fontsource-variable/inter";
import "@fontsource-variable/jetbrains-mono";
import "@xyflow/react/dist/base.css";
import "./styles/tokens.css";
import "./styles/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { createClient } from "./client";
import { DrawPace } from "./mirror/drawPace";
import { rememberedProject, rememberProject } from "./rememberedProject";
import { applyTheme, rememberedTheme } from "./theme";
import { keepInputMethodKeys } from "./ui/inputMethod";
import { openSocket } from "./wire/openSocket";

applyTheme(rememberedTheme());
keepInputMethodKeys(window);

const client = createClient({
  open: () => openSocket("/api/channel"),
  fetch: (address, options) => window.fetch(address, options),
  project: rememberedProject(),
  storage: window.localStorage,
  pace: new DrawPace(),
});
client.mirror.subscribe("server", () => rememberProject(client.mirror.server.project));
client.connection.start();
// The first reply should not wait for its renderer.
void import("./ui/markdown/Markdown");

// A page that comes back from the background or the network from a hole asks at once, not at the next ping (CH5).
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") client.connection.wake();
  else client.drafts.flushAll();
});
window.addEventListener("online", () => client.connection.wake());
window.addEventListener("storage", () => client.projectTabs.reread());
window.addEventListener("pagehide", () => client.drafts.flushAll());

// A file that is dropped beside a chat would else be opened in place of the page.
for (const kind of ["dragover", "drop"] as const) {
  window.addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files") || event.defaultPrevented) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "none";
  });
}

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App client={client} />
    </StrictMode>,
  );
}
