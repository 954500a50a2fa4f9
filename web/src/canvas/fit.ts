/** How everything is shown at once: clear of the bars above and below, and never larger than life. */
import type { FitViewOptions } from "@xyflow/react";

export const FIT = {
  padding: { top: "66px", bottom: "60px", left: "4%", right: "4%" },
  maxZoom: 1,
} as const satisfies FitViewOptions;
