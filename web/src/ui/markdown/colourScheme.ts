/** Which of the two looks the page has now: the person's choice, else the system's. */
import { useSyncExternalStore } from "react";
import type { ColourScheme } from "./diagram";

const DARK = "(prefers-color-scheme: dark)";

function currentScheme(): ColourScheme {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return globalThis.matchMedia?.(DARK).matches ? "dark" : "light";
}

function subscribe(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  const system = globalThis.matchMedia?.(DARK);
  system?.addEventListener("change", onChange);
  return () => {
    observer.disconnect();
    system?.removeEventListener("change", onChange);
  };
}

export function useColourScheme(): ColourScheme {
  return useSyncExternalStore(subscribe, currentScheme);
}
