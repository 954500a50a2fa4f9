import { useCallback, useSyncExternalStore } from "react";

/** Below this there is room for one chat at a time: the canvas shows where they are, a tap opens one. */
export const PHONE_PX = 560;

export function isPhone(): boolean {
  return window.matchMedia?.(`(max-width: ${PHONE_PX}px)`).matches ?? false;
}

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
