import { type ReactNode, useLayoutEffect, useState } from "react";
import { arrivals } from "./arrivals";

interface ArrivingProps {
  /** What stands there until the page has time. */
  readonly meanwhile: ReactNode;
  readonly children: ReactNode;
}

/** Draws what is costly when the page has time for it. */
export function Arriving({ meanwhile, children }: ArrivingProps) {
  const [here, setHere] = useState(false);
  useLayoutEffect(() => arrivals.arrive(() => setHere(true)), []);
  return here ? children : meanwhile;
}
