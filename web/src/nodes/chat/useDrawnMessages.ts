/** How much of a transcript is drawn: its latest messages, and earlier ones as the reader comes near them. */
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import type { MessageId } from "../../wire/generated";
import type { ScrollPlace } from "./useFollowScroll";

/** A chat that comes into view is drawn with so many: they fill it, mostly, and cost little. */
export const FIRST_MESSAGES = 8;
/** So many more each time. */
export const MORE_MESSAGES = 24;
/** Nearer to the first drawn message than this, in pixels, and earlier ones are drawn before it. */
export const NEAR_PX = 300;

/** Where a transcript was being read, and how many of its messages were drawn then: the place counts from the first. */
export interface ReadingPlace extends ScrollPlace {
  readonly drawn: number | undefined;
}

export interface DrawnMessages {
  /** Place of the first drawn message. */
  readonly first: number;
  readonly setCount: (change: (count: number) => number) => void;
  /** Draws earlier messages; what is being read stays where it is. */
  readonly showEarlier: () => void;
  /** Goes to the element that scrolls. */
  readonly onScroll: () => void;
}

/** `following`: the reader is at the end, and messages that leave the drawn part are not missed. */
export function useDrawnMessages(
  ids: readonly MessageId[],
  known: number | undefined,
  following: boolean,
  scroll: RefObject<HTMLElement | null>,
): DrawnMessages {
  const [count, setCount] = useState(known ?? FIRST_MESSAGES);
  const firstId = useRef<MessageId | undefined>(undefined);
  const fromEnd = useRef<number | null>(null);
  const counted = Math.max(0, ids.length - count);
  const kept = following || firstId.current === undefined ? -1 : ids.indexOf(firstId.current);
  const first = kept < 0 ? counted : Math.min(kept, counted);
  firstId.current = ids[first];

  const showEarlier = useCallback(() => {
    const element = scroll.current;
    if (element) fromEnd.current = element.scrollHeight - element.scrollTop;
    setCount((before) => before + MORE_MESSAGES);
  }, [scroll]);
  const onScroll = useCallback(() => {
    const element = scroll.current;
    if (element && first > 0 && fromEnd.current === null && element.scrollTop < NEAR_PX) showEarlier();
  }, [scroll, first, showEarlier]);
  useLayoutEffect(() => {
    const element = scroll.current;
    if (element && fromEnd.current !== null) element.scrollTop = element.scrollHeight - fromEnd.current;
    fromEnd.current = null;
    // Short messages may not fill the window: without anything to scroll, nobody could come near the earlier ones.
    if (element && first > 0 && element.scrollHeight < element.clientHeight + NEAR_PX) showEarlier();
  }, [scroll, first, showEarlier]);
  return { first, setCount, showEarlier, onScroll };
}
