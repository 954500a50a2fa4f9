import { useSyncExternalStore } from "react";
import { useTalkfield } from "../Talkfield";
import type { NodeId } from "../wire/generated";

/** The chat that fills the window. */
export function useFullScreen(): NodeId | null {
  const { fullScreen } = useTalkfield();
  return useSyncExternalStore(fullScreen.subscribe, fullScreen.current);
}
