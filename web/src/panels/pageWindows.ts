import { createContext, useContext } from "react";
import type { Point } from "../canvas/freePlace";
import type { NodeId } from "../wire/generated";

/** Windows over the page that more than one place opens. */
export type PageWindow = "projects" | "import" | "usage" | "fan-out" | "send-to-all" | "compare" | "merge";

export interface OpenedWindow {
  readonly window: PageWindow;
  /** What it is about. */
  readonly nodes: readonly NodeId[];
  /** Where on the canvas it was asked for. */
  readonly at?: Point;
}

/** What every such window is given. */
export interface PageWindowProps {
  readonly nodes: readonly NodeId[];
  readonly at: Point | undefined;
  readonly onClose: () => void;
}

type OpenWindowFunction = (window: PageWindow, nodes?: readonly NodeId[], at?: Point) => void;

const OpenWindow = createContext<OpenWindowFunction>(() => {});

export const OpenWindowProvider = OpenWindow.Provider;

export function useOpenWindow(): OpenWindowFunction {
  return useContext(OpenWindow);
}
