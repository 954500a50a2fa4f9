import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const server = process.env.TALKFIELD_SERVER ?? "http://127.0.0.1:8420";

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: "../src/talkfield/server/static",
    emptyOutDir: true,
    // The server's content security policy allows no inline script and no data: font (X3).
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1200,
  },
  // The worker that colours code loads its grammars one by one.
  worker: { format: "es" },
  server: {
    // The very host of the server: its cookie is good for all ports of a host. Open the link that it prints first.
    host: "127.0.0.1",
    // `changeOrigin` makes the proxied request pass the server's exact Host check (X1).
    proxy: { "/api": { target: server, ws: true, changeOrigin: true, rewriteWsOrigin: true } },
  },
  test: {
    environment: "jsdom",
    setupFiles: ["src/testSetup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    css: { modules: { classNameStrategy: "non-scoped" } },
    restoreMocks: true,
    // A slow machine is not a fault: only what never comes fails.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
