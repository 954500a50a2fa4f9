import { useEffect, useRef, useState } from "react";
import { useAwaitingCalls, useProjects, useRuns, useServer } from "../mirror/hooks";
import { useTalkfield } from "../Talkfield";
import { TEST_IDS } from "../testIds";
import type { NodeId, RunPhase } from "../wire/generated";
import { notify } from "./tools/notify";

/**
 * Tells screen readers when a reply begins, ends or needs a decision; never each token (U9). And the tab's title, and
 * the system where the person wants that, while the page is out of sight (U7).
 */
export function Announcer() {
  const { mirror, spotlight } = useTalkfield();
  const runs = useRuns();
  const before = useRef<ReadonlyMap<NodeId, RunPhase>>(new Map());
  const [words, setWords] = useState("");
  const visits = useAwaitingCalls().filter((call) => call.messageId === "").length;
  const visitsBefore = useRef(0);
  useTabTitle();

  useEffect(() => {
    if (visits > visitsBefore.current) {
      setWords("A program outside needs your decision.");
      if (isAway()) notify("Talkfield needs you", "A program outside waits for your decision.", "visit", () => {});
    }
    visitsBefore.current = visits;
  }, [visits]);

  useEffect(() => {
    const now = new Map(runs.map((run) => [run.nodeId, run.phase]));
    const said: string[] = [];
    const titleOf = (node: NodeId) => mirror.node(node)?.title || "new chat";
    for (const [node, phase] of now) {
      const was = before.current.get(node);
      if (was === undefined) said.push(`Reply started in ${titleOf(node)}.`);
      if (phase === "awaiting" && was !== "awaiting") {
        said.push(`A tool in ${titleOf(node)} needs your decision.`);
        if (isAway()) {
          notify("Talkfield needs you", `A tool in ${titleOf(node)} waits for your decision.`, node, () =>
            spotlight.show(node),
          );
        }
      }
    }
    for (const node of before.current.keys()) {
      if (!now.has(node) && mirror.node(node)) said.push(`Reply ended in ${titleOf(node)}.`);
    }
    before.current = now;
    if (said.length > 0) setWords(said.join(" "));
  }, [runs, mirror, spotlight]);

  return (
    <div className="visually-hidden" role="log" aria-live="polite" data-testid={TEST_IDS.announcer}>
      {words}
    </div>
  );
}

/** Whether the reader is looking at something else. */
function isAway(): boolean {
  return document.hidden || !document.hasFocus();
}

/** The title counts chats that wait for a decision, for readers who are in another tab (U7). */
function useTabTitle(): void {
  const waiting = new Set(useAwaitingCalls().map((call) => call.nodeId)).size;
  const projects = useProjects();
  const { project } = useServer();
  const title = projects.find((each) => each.project === project)?.title;
  useEffect(() => {
    const name = title ? `${title} – Talkfield` : "Talkfield";
    document.title = waiting > 0 ? `(${waiting}) ${name}` : name;
  }, [title, waiting]);
}
