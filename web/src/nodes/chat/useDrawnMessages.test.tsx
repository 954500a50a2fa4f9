import { act, fireEvent, render, screen } from "@testing-library/react";
import { useRef } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import type { MessageId } from "../../wire/generated";
import { FIRST_MESSAGES, MORE_MESSAGES, NEAR_PX, useDrawnMessages } from "./useDrawnMessages";

const HEIGHT_PX = 100;
/** jsdom lays nothing out: a message is as high as a test says. */
let messagePx = 100;

interface TranscriptProps {
  readonly count: number;
  readonly known?: number;
  readonly following?: boolean;
}

function Transcript({ count, known, following = true }: TranscriptProps) {
  const ids = Array.from({ length: count }, (_, index) => `m${index}` as MessageId);
  const scroll = useRef<HTMLElement>(null);
  const drawn = useDrawnMessages(ids, known, following, scroll);
  return (
    <section ref={scroll} aria-label="text" onScroll={drawn.onScroll}>
      {ids.slice(drawn.first).map((id) => (
        <p key={id}>{id}</p>
      ))}
      <button type="button" onClick={drawn.showEarlier}>
        Earlier
      </button>
    </section>
  );
}

const text = () => screen.getByLabelText("text");
const drawn = () => text().querySelectorAll("p").length;
const first = () => text().querySelector("p")?.textContent;
const distance = () => text().scrollHeight - text().scrollTop;

beforeEach(() => {
  messagePx = 100;
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(HEIGHT_PX);
  vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockImplementation(function (this: HTMLElement) {
    return this.querySelectorAll("p").length * messagePx;
  });
  return () => vi.restoreAllMocks();
});

function scrollTo(top: number): void {
  text().scrollTop = top;
  act(() => void fireEvent.scroll(text()));
}

it("[U2] draws the latest messages, and earlier ones when the reader comes near, without moving what is read", () => {
  render(<Transcript count={200} />);
  expect(drawn()).toBe(FIRST_MESSAGES);
  scrollTo(NEAR_PX + 1);
  expect(drawn()).toBe(FIRST_MESSAGES);
  scrollTo(NEAR_PX - 1);
  expect([drawn(), first()]).toEqual([FIRST_MESSAGES + MORE_MESSAGES, "m168"]);
  expect(distance()).toBe(FIRST_MESSAGES * messagePx - NEAR_PX + 1);
});

it("[U2] fills its window with short messages", () => {
  messagePx = 20;
  render(<Transcript count={200} />);
  expect(drawn()).toBe(FIRST_MESSAGES + MORE_MESSAGES);
});

it("[U2] keeps the message that is read while others come, and lets go of earlier ones at the end", () => {
  const { rerender } = render(<Transcript count={100} following={false} known={20} />);
  expect(first()).toBe("m80");
  rerender(<Transcript count={130} following={false} known={20} />);
  expect(first()).toBe("m80");
  rerender(<Transcript count={130} following known={20} />);
  expect(first()).toBe("m110");
});
