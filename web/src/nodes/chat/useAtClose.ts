import { useEffect, useRef } from "react";

/** Does at the end of a component what its last rendering would do: a panel may be closed with the cursor in a field. */
export function useAtClose(end: () => void) {
  const latest = useRef(end);
  useEffect(() => {
    latest.current = end;
  });
  useEffect(() => () => latest.current(), []);
}
