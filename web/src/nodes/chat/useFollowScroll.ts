/** Keeps a growing transcript at its end, but only for a reader who is there (U2). */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** As near to the end as counts as being there, in pixels. */
export const FOLLOW_DISTANCE_PX = 24;

/** So long after a hand moved the text, it is left alone: small steps up may add up to leaving the end. */
export const HAND_PAUSE_MS = 250;

const UNFOLDED = "talkfield-unfolded";

/** To be called before something inside a transcript unfolds: the reader goes on from there, not from the end. */
export function stayHere(inside: Element): void {
  inside.dispatchEvent(new CustomEvent(UNFOLDED, { bubbles: true }));
}

/** Where a transcript was being read. */
export interface ScrollPlace {
  readonly top: number;
  readonly following: boolean;
}

export interface FollowScroll {
  /** Goes on the element that scrolls. */
  readonly scrollRef: RefObject<HTMLElement | null>;
  /** Goes on the one element inside it, which grows. */
  readonly contentRef: RefObject<HTMLDivElement | null>;
  readonly onScroll: () => void;
  readonly following: boolean;
  /** Goes to the end and follows again. */
  readonly toLatest: () => void;
}

export function useFollowScroll(place: ScrollPlace | undefined, onPlace: (place: ScrollPlace) => void): FollowScroll {
  const scrollRef = useRef<HTMLElement>(null);
  const contentRef = useRef<HTMLDivElement>(null);
  const followingRef = useRef(place?.following ?? true);
  const handMovedAt = useRef(Number.NEGATIVE_INFINITY);
  const lastTop = useRef(0);
  const [following, setFollowing] = useState(followingRef.current);
  const placeAtMount = useRef(place);
  const report = useRef(onPlace);
  report.current = onPlace;

  const setBoth = useCallback((value: boolean) => {
    followingRef.current = value;
    setFollowing(value);
  }, []);

  const onScroll = useCallback(() => {
    const element = scrollRef.current;
    if (!element) return;
    const movedUp = element.scrollTop < lastTop.current - 1;
    lastTop.current = element.scrollTop;
    // The event of our own scrolling may come after the text has grown again: only going up leaves the end.
    if (distanceFromEnd(element) <= FOLLOW_DISTANCE_PX) setBoth(true);
    else if (movedUp) setBoth(false);
    report.current({ top: element.scrollTop, following: followingRef.current });
  }, [setBoth]);

  const pin = useCallback(() => {
    const element = scrollRef.current;
    if (!element || !followingRef.current) return;
    if (performance.now() - handMovedAt.current < HAND_PAUSE_MS) return;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
  }, []);

  const toLatest = useCallback(() => {
    handMovedAt.current = Number.NEGATIVE_INFINITY;
    setBoth(true);
    pin();
  }, [setBoth, pin]);

  useLayoutEffect(() => {
    const element = scrollRef.current;
    if (!element) return;
    const before = placeAtMount.current;
    element.scrollTop = before && !before.following ? before.top : element.scrollHeight;
    lastTop.current = element.scrollTop;
  }, []);

  useEffect(() => {
    const [element, content] = [scrollRef.current, contentRef.current];
    if (!element || !content) return;
    let afterHand: ReturnType<typeof setTimeout> | undefined;
    const byHand = () => {
      handMovedAt.current = performance.now();
      clearTimeout(afterHand);
      afterHand = setTimeout(() => {
        handMovedAt.current = Number.NEGATIVE_INFINITY;
        pin();
      }, HAND_PAUSE_MS);
    };
    // Text that is being selected must not run away under the pointer.
    const hold = () => {
      clearTimeout(afterHand);
      handMovedAt.current = Number.POSITIVE_INFINITY;
    };
    const release = () => {
      if (handMovedAt.current === Number.POSITIVE_INFINITY) byHand();
    };
    const onWheel = (event: WheelEvent) => {
      if (event.deltaY < 0) byHand();
    };
    const stay = () => setBoth(false);
    // Text that goes may bring the end into sight without any scrolling.
    const onResize = () => {
      if (!followingRef.current && distanceFromEnd(element) <= FOLLOW_DISTANCE_PX) setBoth(true);
      pin();
    };
    const observer = new ResizeObserver(onResize);
    observer.observe(content);
    observer.observe(element);
    element.addEventListener(UNFOLDED, stay);
    element.addEventListener("wheel", onWheel, { passive: true });
    element.addEventListener("touchmove", byHand, { passive: true });
    element.addEventListener("pointerdown", hold, { passive: true });
    window.addEventListener("pointerup", release);
    window.addEventListener("pointercancel", release);
    return () => {
      clearTimeout(afterHand);
      observer.disconnect();
      element.removeEventListener(UNFOLDED, stay);
      element.removeEventListener("wheel", onWheel);
      element.removeEventListener("touchmove", byHand);
      element.removeEventListener("pointerdown", hold);
      window.removeEventListener("pointerup", release);
      window.removeEventListener("pointercancel", release);
    };
  }, [pin, setBoth]);

  return { scrollRef, contentRef, onScroll, following, toLatest };
}

function distanceFromEnd(element: HTMLElement): number {
  return element.scrollHeight - element.clientHeight - element.scrollTop;
}
