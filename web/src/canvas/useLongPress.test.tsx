import { fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useLongPress } from "./useLongPress";

const asked = vi.fn();

function Surface() {
  return (
    <main {...useLongPress()}>
      <button type="button" onContextMenu={(event) => asked(event.clientX, event.clientY)}>
        Here
      </button>
    </main>
  );
}

const here = () => screen.getByRole("button");
const down = (fields: object = {}) =>
  fireEvent.pointerDown(here(), { pointerType: "touch", pointerId: 1, clientX: 30, clientY: 40, ...fields });

describe("useLongPress", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    asked.mockClear();
    render(<Surface />);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("[U6] asks for the menu where a finger stays", () => {
    down();
    vi.advanceTimersByTime(600);
    expect(asked.mock.calls).toEqual([[30, 40]]);
  });

  it("[U6] asks once where the browser asks by itself", () => {
    down();
    fireEvent.contextMenu(here(), { clientX: 30, clientY: 40 });
    vi.advanceTimersByTime(600);
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["a finger that moves", () => fireEvent.pointerMove(here(), { pointerId: 1, clientX: 60, clientY: 40 })],
    ["a finger that goes", () => fireEvent.pointerUp(here(), { pointerId: 1 })],
    ["two fingers", () => down({ pointerId: 2, clientX: 200 })],
  ])("[U6] does not take %s for one that stays", (_what, act) => {
    down();
    act();
    vi.advanceTimersByTime(600);
    expect(asked).not.toHaveBeenCalled();
  });

  it("[U6] leaves a mouse alone", () => {
    down({ pointerType: "mouse" });
    vi.advanceTimersByTime(600);
    expect(asked).not.toHaveBeenCalled();
  });
});
