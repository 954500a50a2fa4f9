import { createContext, useContext } from "react";

/** Windows over the page that more than one place opens. */
export type PageWindow = "projects" | "import" | "usage";

const OpenWindow = createContext<(window: PageWindow) => void>(() => {});

export const OpenWindowProvider = OpenWindow.Provider;

export function useOpenWindow(): (window: PageWindow) => void {
  return useContext(OpenWindow);
}
