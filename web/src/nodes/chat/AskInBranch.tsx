import { MessageSquareQuote } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import styles from "./AskInBranch.module.css";
import { messageAround, type Quote, selectedQuote } from "./quote";
import { useBranch } from "./useBranch";

/** What it takes above the selection, canvas pixels. */
const ROOM_PX = 38;
const HALF_WIDTH_PX = 112;
const TEXT_FIELD = "input, textarea, select, [contenteditable]";

interface Place {
  readonly x: number;
  readonly y: number;
}

/** A button at the text that is selected in a transcript: ask about it in a branch (L4). The key is B. */
export function AskInBranch({ list }: { readonly list: RefObject<HTMLElement | null> }) {
  const { mirror } = useTalkfield();
  const branch = useBranch();
  const [place, setPlace] = useState<Place | null>(null);
  const go = (quote: Quote | null) => {
    if (!quote) return;
    window.getSelection()?.removeAllRanges();
    void branch(quote.message, quote.text);
  };
  const latest = useRef(go);
  latest.current = go;

  useEffect(() => {
    const element = list.current;
    if (!element) return;
    let pressed = false;
    const look = () => {
      const selection = window.getSelection();
      // Under a pointer that still selects it would be in the way.
      setPlace(!pressed && selection && selectedQuote(element, selection) ? placeAt(element, selection) : null);
    };
    const press = () => {
      pressed = true;
    };
    const release = () => {
      pressed = false;
      look();
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "b" || event.ctrlKey || event.metaKey || event.altKey) return;
      const { target } = event;
      if (!(target instanceof Element) || target.closest(TEXT_FIELD) || event.defaultPrevented) return;
      const around = element.contains(target) ? messageAround(target) : null;
      const whole = around && { message: around, text: mirror.message(around)?.content ?? "" };
      const quote = selectedQuote(element, window.getSelection()) ?? whole;
      if (!quote) return;
      event.preventDefault();
      latest.current(quote);
    };
    document.addEventListener("selectionchange", look);
    document.addEventListener("pointerdown", press, true);
    document.addEventListener("pointerup", release, true);
    document.addEventListener("pointercancel", release, true);
    document.addEventListener("keydown", onKeyDown);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      document.removeEventListener("selectionchange", look);
      document.removeEventListener("pointerdown", press, true);
      document.removeEventListener("pointerup", release, true);
      document.removeEventListener("pointercancel", release, true);
      document.removeEventListener("keydown", onKeyDown);
      element.removeEventListener("scroll", look);
    };
  }, [list, mirror]);

  if (!place) return null;
  return (
    <button
      type="button"
      className={styles.ask}
      style={{ left: place.x, top: place.y }}
      title="Ask about this in a branch (B)"
      data-testid={TEST_IDS.askInBranch}
      // The selection stays until it is taken.
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => list.current && go(selectedQuote(list.current, window.getSelection()))}
    >
      <MessageSquareQuote size={14} />
      Ask about this in a branch
    </button>
  );
}

/** Above the selection, or below it where there is no room; null where it is scrolled out. */
function placeAt(list: HTMLElement, selection: Selection): Place | null {
  const frame = list.getBoundingClientRect();
  const selected = selection.getRangeAt(0).getBoundingClientRect();
  if (selected.bottom < frame.top || selected.top > frame.bottom) return null;
  // The canvas is zoomed; places in it are not.
  const scale = list.offsetWidth > 0 ? frame.width / list.offsetWidth : 1;
  const above = (selected.top - frame.top) / scale - ROOM_PX;
  const below = (selected.bottom - frame.top) / scale + 6;
  const lowest = list.clientHeight - ROOM_PX;
  const y = above >= 4 ? above : Math.max(4, Math.min(below, lowest));
  const middle = ((selected.left + selected.right) / 2 - frame.left) / scale;
  return { x: Math.max(HALF_WIDTH_PX, Math.min(middle, list.clientWidth - HALF_WIDTH_PX)), y };
}
