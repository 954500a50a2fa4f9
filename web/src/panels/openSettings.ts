import { createContext, useContext } from "react";
import type { SettingsTab } from "./SettingsDialog";

const OpenSettingsContext = createContext<(tab: SettingsTab) => void>(() => {});

export const OpenSettingsProvider = OpenSettingsContext.Provider;

/** Opens the settings, from wherever something in them is missing. */
export function useOpenSettings(): (tab: SettingsTab) => void {
  return useContext(OpenSettingsContext);
}
