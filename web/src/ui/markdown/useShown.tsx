import { type ReactNode, useEffect, useState } from "react";
import { Button } from "../Button";
import { MAX_SHOWN_WEIGHT, SHOWN_WEIGHT_STEP } from "./limits";

/**
 * How many of the parts of one list or table are shown: the first ones at once, more with each update, and past a limit
 * with each click of the button that comes with the count.
 */
export function useShown<Part>(
  parts: readonly Part[],
  weightOf: (part: Part) => number,
  what: string,
): [count: number, more: ReactNode] {
  const [limit, setLimit] = useState(SHOWN_WEIGHT_STEP);
  const [asked, setAsked] = useState(MAX_SHOWN_WEIGHT);
  let weight = 0;
  let count = 0;
  for (const part of parts) {
    weight += weightOf(part);
    if (count > 0 && weight > limit) break;
    count++;
  }
  const isCut = count < parts.length;
  const goesOn = isCut && limit < asked;
  useEffect(() => {
    if (!goesOn) return;
    const timer = setTimeout(() => setLimit(limit + SHOWN_WEIGHT_STEP));
    return () => clearTimeout(timer);
  }, [goesOn, limit]);
  if (!isCut || goesOn) return [count, null];
  const more = (
    <div className="tf-md-more">
      <Button look="quiet" size="small" onClick={() => setAsked(asked + MAX_SHOWN_WEIGHT)}>
        Show more of {(parts.length - count).toLocaleString("en")} {what}
      </Button>
    </div>
  );
  return [count, more];
}
