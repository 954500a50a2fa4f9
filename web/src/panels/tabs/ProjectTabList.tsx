import { X } from "lucide-react";
import { type KeyboardEvent, type MouseEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { names } from "../../ui/names";
import type { ProjectId, ProjectRecord } from "../../wire/generated";
import { ActivityDot, activityOf } from "./ActivityDot";
import styles from "./ProjectTabList.module.css";
import { TitleField } from "./TitleField";
import type { ShownTabs } from "./useProjectTabs";

/** Pixels that a pointer goes before it drags. */
const DRAG_FROM = 6;

interface ProjectTabListProps {
  readonly shown: ShownTabs;
  /** The project whose title is being edited in its tab. */
  readonly naming: ProjectId | null;
  readonly onRename: (project: ProjectId) => void;
  readonly onNamed: (title: string) => void;
  readonly onCancel: () => void;
}

/** The open projects side by side: one click shows another, a drag orders them, a cross takes the tab away only. */
export function ProjectTabList({ shown, naming, onRename, onNamed, onCancel }: ProjectTabListProps) {
  const list = useRef<HTMLUListElement>(null);
  const dragged = useDrag(list, shown);
  useEffect(() => {
    if (shown.open) list.current?.querySelector('[aria-current="page"]')?.scrollIntoView?.({ block: "nearest" });
  }, [shown.open]);

  const onKeyDown = (event: KeyboardEvent, tab: ProjectRecord) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const steps = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (steps && event.shiftKey) shown.shift(tab.project, steps);
    else if (steps) focusBeside(event.currentTarget, steps);
    else if (event.key === "Delete") {
      focusBeside(event.currentTarget, 1) || focusBeside(event.currentTarget, -1);
      shown.close(tab.project);
    } else if (event.key === "F2") onRename(tab.project);
    else return;
    event.preventDefault();
  };
  return (
    <nav aria-label="Open projects" className={styles.frame}>
      <ul ref={list} className={styles.list}>
        {shown.tabs.map((tab) =>
          tab.project === naming ? (
            <li key={tab.id}>
              <TitleField label="Title of the project" initial={tab.title} onDone={onNamed} onCancel={onCancel} />
            </li>
          ) : (
            <Tab
              key={tab.id}
              tab={tab}
              isOpen={tab.project === shown.open}
              isDragged={tab.project === dragged.id}
              canClose={shown.tabs.length > 1}
              onShow={() => !dragged.justDropped() && shown.show(tab.project)}
              onClose={() => shown.close(tab.project)}
              onRename={() => onRename(tab.project)}
              onKeyDown={(event) => onKeyDown(event, tab)}
              onPointerDown={(event) => dragged.begin(event, tab.project)}
            />
          ),
        )}
      </ul>
    </nav>
  );
}

interface TabProps {
  readonly tab: ProjectRecord;
  readonly isOpen: boolean;
  readonly isDragged: boolean;
  readonly canClose: boolean;
  readonly onShow: () => void;
  readonly onClose: () => void;
  readonly onRename: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onPointerDown: (event: PointerEvent) => void;
}

function Tab({ tab, isOpen, isDragged, canClose, onShow, onClose, onRename, onKeyDown, onPointerDown }: TabProps) {
  const title = tab.title || "Untitled";
  const closeByMiddle = (event: MouseEvent) => {
    if (event.button === 1 && canClose) onClose();
  };
  return (
    <li
      className={names(styles.tab, isOpen && styles.open, isDragged && styles.dragged)}
      data-project={tab.project}
      data-testid={TEST_IDS.projectTab}
      onAuxClick={closeByMiddle}
    >
      <button
        type="button"
        className={styles.title}
        aria-current={isOpen ? "page" : undefined}
        aria-keyshortcuts={canClose ? "Delete" : undefined}
        tabIndex={isOpen ? 0 : -1}
        title={tab.folder ? `${title}\n${tab.folder}` : title}
        onClick={onShow}
        onDoubleClick={onRename}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
      >
        <span className={styles.words}>{title}</span>
        {!isOpen && <ActivityDot activity={activityOf(tab)} />}
      </button>
      {canClose && (
        <button
          type="button"
          tabIndex={-1}
          className={styles.close}
          aria-label={`Close the tab of ${title}`}
          title="Close the tab; the project stays"
          onClick={onClose}
        >
          <X size={13} />
        </button>
      )}
    </li>
  );
}

/** Whether there is a tab on that side, which then has the focus. */
function focusBeside(button: EventTarget & Element, steps: number): boolean {
  const item = button.closest("li");
  const beside = steps < 0 ? item?.previousElementSibling : item?.nextElementSibling;
  const title = beside?.querySelector<HTMLElement>("button");
  title?.focus();
  return title !== null && title !== undefined;
}

/** Orders the tabs by a pointer; a finger scrolls them instead. */
function useDrag(list: { readonly current: HTMLUListElement | null }, shown: ShownTabs) {
  const { projectTabs } = useTalkfield();
  const [id, setId] = useState<ProjectId | null>(null);
  const dropped = useRef(false);
  const order = useRef(shown);
  order.current = shown;
  const begin = (event: PointerEvent, project: ProjectId) => {
    dropped.current = false;
    if (event.button !== 0 || event.pointerType === "touch") return;
    const startX = event.clientX;
    const moving = { on: false };
    const onMove = ({ clientX }: globalThis.PointerEvent) => {
      if (!moving.on && Math.abs(clientX - startX) < DRAG_FROM) return;
      moving.on = true;
      setId(project);
      const over = tabAt(list.current, clientX);
      const now = order.current.tabs.map((tab) => tab.project);
      if (over && over.project !== project && isPast(over.box, clientX, now, project, over.project)) {
        projectTabs.move(project, over.project);
      }
    };
    const onEnd = () => {
      dropped.current = moving.on;
      setId(null);
      window.removeEventListener("pointermove", onMove);
      window.removeEventListener("pointerup", onEnd);
      window.removeEventListener("pointercancel", onEnd);
    };
    window.addEventListener("pointermove", onMove);
    window.addEventListener("pointerup", onEnd);
    window.addEventListener("pointercancel", onEnd);
  };
  return { id, begin, justDropped: () => dropped.current };
}

interface TabBox {
  readonly project: ProjectId;
  readonly box: DOMRect;
}

function tabAt(list: HTMLUListElement | null, x: number): TabBox | null {
  for (const item of list?.querySelectorAll<HTMLElement>("[data-project]") ?? []) {
    const box = item.getBoundingClientRect();
    if (x >= box.left && x < box.right) return { project: item.dataset.project as ProjectId, box };
  }
  return null;
}

/** Only past its middle do they change places: with tabs of different widths they would else change back at once. */
function isPast(box: DOMRect, x: number, order: readonly ProjectId[], moved: ProjectId, over: ProjectId): boolean {
  const middle = box.left + box.width / 2;
  return order.indexOf(moved) < order.indexOf(over) ? x > middle : x < middle;
}
