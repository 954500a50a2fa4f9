import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ScrollPlace, stayHere, useFollowScroll } from "./useFollowScroll";

const VISIBLE_PX = 100;

/** jsdom lays nothing out: the height of the text is what a test says, and observers are told by it. */
let contentHeight = 0;
let observers: (() => void)[] = [];

class ToldResizeObserver implements ResizeObserver {
  constructor(callback: () => void) {
    observers.push(callback);
  }
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

function Transcript({ place, onPlace }: { place?: ScrollPlace | undefined; onPlace?: (place: ScrollPlace) => void }) {
  const scroll = useFollowScroll(place, onPlace ?? (() => {}));
  return (
    <>
      <section ref={scroll.scrollRef} onScroll={scroll.onScroll} aria-label="text">
        <div ref={scroll.contentRef} />
      </section>
      {!scroll.following && (
        <button type="button" onClick={scroll.toLatest}>
          Latest
        </button>
      )}
    </>
  );
}

const text = () => screen.getByLabelText("text");
const latest = () => screen.queryByText("Latest");

function grow(height: number): void {
  contentHeight = height;
  act(() => {
    for (const tell of observers) tell();
  });
}

function scrollTo(top: number): void {
  text().scrollTop = top;
  fireEvent.scroll(text());
}

beforeEach(() => {
  vi.useFakeTimers();
  contentHeight = 400;
  observers = [];
  vi.stubGlobal("ResizeObserver", ToldResizeObserver);
  vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockImplementation(() => contentHeight);
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(VISIBLE_PX);
  let tops = new WeakMap<HTMLElement, number>();
  vi.spyOn(HTMLElement.prototype, "scrollTop", "get").mockImplementation(function (this: HTMLElement) {
    return tops.get(this) ?? 0;
  });
  vi.spyOn(HTMLElement.prototype, "scrollTop", "set").mockImplementation(function (this: HTMLElement, top: number) {
    tops = tops.set(this, Math.max(0, Math.min(top, contentHeight - VISIBLE_PX)));
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("useFollowScroll", () => {
  it("[U2] starts at the end and stays there while the text grows", () => {
    render(<Transcript />);
    expect(text().scrollTop).toBe(300);
    grow(1000);
    expect(text().scrollTop).toBe(900);
  });

  it("[T6] stays where a reader unfolds something", () => {
    render(<Transcript />);
    act(() => stayHere(text().firstElementChild as Element));
    grow(1000);
    expect(text().scrollTop).toBe(300);
    expect(latest()).not.toBeNull();
  });

  it("[U2] follows again when text goes until the end is in sight", () => {
    render(<Transcript />);
    scrollTo(200);
    scrollTo(0);
    expect(latest()).not.toBeNull();
    grow(90);
    expect(latest()).toBeNull();
    grow(500);
    expect(text().scrollTop).toBe(400);
  });

  it("[U2] follows within 24 pixels of the end, and not beyond", () => {
    render(<Transcript />);
    scrollTo(300 - 24);
    grow(500);
    expect(text().scrollTop).toBe(400);
    scrollTo(400 - 25);
    grow(600);
    expect(text().scrollTop).toBe(375);
  });

  it("[U2] brings a reader back by the button, which is there only then", () => {
    render(<Transcript />);
    expect(latest()).toBeNull();
    scrollTo(0);
    expect(latest()).not.toBeNull();
    fireEvent.click(screen.getByText("Latest"));
    expect([text().scrollTop, latest()]).toEqual([300, null]);
    grow(800);
    expect(text().scrollTop).toBe(700);
  });

  it("[U2] follows again after scrolling back to the end by hand", () => {
    render(<Transcript />);
    scrollTo(0);
    scrollTo(300);
    expect(latest()).toBeNull();
  });

  it("[U2] goes on following when the text grew again before its own scrolling was reported", () => {
    render(<Transcript />);
    grow(500);
    contentHeight = 900;
    fireEvent.scroll(text());
    expect(latest()).toBeNull();
  });

  it("[U2] lets small steps of the wheel add up to leaving the end", () => {
    render(<Transcript />);
    for (let step = 1; step <= 6; step++) {
      fireEvent.wheel(text(), { deltaY: -5 });
      scrollTo(300 - step * 5);
      grow(400);
    }
    expect(latest()).not.toBeNull();
    vi.advanceTimersByTime(1_000);
    expect(text().scrollTop).toBe(270);
  });

  it("[U2] catches up after a touch of the wheel that did not leave the end", () => {
    render(<Transcript />);
    fireEvent.wheel(text(), { deltaY: -5 });
    scrollTo(295);
    grow(500);
    expect(text().scrollTop).toBe(295);
    act(() => {
      vi.advanceTimersByTime(300);
    });
    expect(text().scrollTop).toBe(400);
  });

  it("does not move under a pointer that selects", () => {
    render(<Transcript />);
    fireEvent.pointerDown(text());
    grow(500);
    expect(text().scrollTop).toBe(300);
    fireEvent.pointerUp(window);
    act(() => {
      vi.advanceTimersByTime(300);
    });
    expect(text().scrollTop).toBe(400);
  });

  it("comes back to where it was being read", () => {
    const places: ScrollPlace[] = [];
    const { unmount } = render(<Transcript onPlace={(place) => places.push(place)} />);
    scrollTo(120);
    unmount();
    render(<Transcript place={places.at(-1)} />);
    expect(text().scrollTop).toBe(120);
    expect(latest()).not.toBeNull();
  });
});
