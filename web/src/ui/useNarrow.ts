import { useCallback, useSyncExternalStore } from "react";

/** Whether the window is at most so many pixels wide. */
export function useNarrow(most: number): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const query = window.matchMedia?.(`(max-width: ${most}px)`);
      query?.addEventListener("change", listener);
      return () => query?.removeEventListener("change", listener);
    },
    [most],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia?.(`(max-width: ${most}px)`).matches ?? false);
}
