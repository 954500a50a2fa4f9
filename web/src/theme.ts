/** Puts the theme that is set on the page; `system` leaves it to the browser. Kept by the browser to avoid a flash. */
export type Theme = "system" | "light" | "dark";

const STORAGE_KEY = "talkfield.theme";

export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // Storage is full or forbidden: the theme comes with the settings, a moment later.
  }
}

export function rememberedTheme(): Theme {
  try {
    const found = localStorage.getItem(STORAGE_KEY);
    return found === "light" || found === "dark" ? found : "system";
  } catch {
    return "system";
  }
}
