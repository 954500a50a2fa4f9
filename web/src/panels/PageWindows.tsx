import { lazy, Suspense, useEffect } from "react";
import { useProjects, useServer } from "../mirror/hooks";
import { useTalkfield } from "../Talkfield";
import type { OpenedWindow } from "./pageWindows";

// Used now and then: not part of what the first paint waits for.
const WINDOWS = {
  projects: lazy(async () => ({ default: (await import("./projects/ProjectsDialog")).ProjectsDialog })),
  import: lazy(async () => ({ default: (await import("./projects/ImportDialog")).ImportDialog })),
  usage: lazy(async () => ({ default: (await import("./usage/UsageDialog")).UsageDialog })),
  "fan-out": lazy(async () => ({ default: (await import("./together/FanOutDialog")).FanOutDialog })),
  "send-to-all": lazy(async () => ({ default: (await import("./together/SendToAllDialog")).SendToAllDialog })),
  merge: lazy(async () => ({ default: (await import("./together/MergeDialog")).MergeDialog })),
  compare: lazy(async () => ({ default: (await import("./together/CompareDialog")).CompareDialog })),
} as const;

interface PageWindowsProps {
  readonly open: OpenedWindow | null;
  readonly onClose: () => void;
}

export function PageWindows({ open, onClose }: PageWindowsProps) {
  useLeaveGoneProject();
  if (!open) return null;
  const Window = WINDOWS[open.window];
  return (
    <Suspense fallback={null}>
      <Window nodes={open.nodes} at={open.at} onClose={onClose} />
    </Suspense>
  );
}

/** Another tab has destroyed the project that is open here: nothing said in it could be kept. */
function useLeaveGoneProject(): void {
  const { connection, notices } = useTalkfield();
  const projects = useProjects();
  const { project } = useServer();
  useEffect(() => {
    if (!project || projects.length === 0 || projects.some((each) => each.project === project)) return;
    const next = projects.find((each) => (each.state ?? "active") === "active");
    if (!next) return;
    notices.show("This project was deleted for good.");
    connection.openProject(next.project);
  }, [project, projects, connection, notices]);
}
