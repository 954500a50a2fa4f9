/** A finger that stays asks for the menu, as a right click does; browsers tell of it on some systems alone. */
import { type PointerEvent, useCallback, useEffect, useRef } from "react";

const LONG_MS = 550;
/** Pixels that a resting finger may slip. */
const SLIP_PX = 9;

interface Press {
  readonly pointer: number;
  readonly x: number;
  readonly y: number;
  readonly timer: ReturnType<typeof setTimeout>;
}

export interface LongPress {
  readonly onPointerDownCapture: (event: PointerEvent) => void;
  readonly onPointerMoveCapture: (event: PointerEvent) => void;
  readonly onPointerUpCapture: () => void;
  readonly onPointerCancelCapture: () => void;
}

/** Gives the element under the finger a `contextmenu` event, unless the browser has done so by then. */
export function useLongPress(): LongPress {
  const press = useRef<Press | null>(null);
  const end = useCallback(() => {
    if (press.current) clearTimeout(press.current.timer);
    press.current = null;
  }, []);
  useEffect(() => {
    window.addEventListener("contextmenu", end, true);
    return () => {
      window.removeEventListener("contextmenu", end, true);
      end();
    };
  }, [end]);
  return {
    onPointerDownCapture: (event) => {
      const second = press.current !== null;
      end();
      if (event.pointerType !== "touch" || second || !(event.target instanceof Element)) return;
      const { target, clientX, clientY, pointerId } = event;
      const point = { clientX, clientY, button: 2 };
      const timer = setTimeout(() => {
        target.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true, ...point }));
      }, LONG_MS);
      press.current = { pointer: pointerId, x: clientX, y: clientY, timer };
    },
    onPointerMoveCapture: (event) => {
      const { current } = press;
      if (!current || event.pointerId !== current.pointer) return;
      if (Math.hypot(event.clientX - current.x, event.clientY - current.y) > SLIP_PX) end();
    },
    onPointerUpCapture: end,
    onPointerCancelCapture: end,
  };
}
