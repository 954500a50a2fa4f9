import { useMemo, useSyncExternalStore } from "react";
import { useProjects, useServer } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import type { ProjectId, ProjectRecord } from "../../wire/generated";
import { besideTab, tabAfter } from "./projectTabs";

export interface ShownTabs {
  readonly tabs: readonly ProjectRecord[];
  readonly open: ProjectId | null;
  /** Projects in use that have no tab. */
  readonly others: readonly ProjectRecord[];
  readonly show: (project: ProjectId) => void;
  /** The project stays; where it was shown, the tab beside it is. */
  readonly close: (project: ProjectId) => void;
  /** Puts a tab so many places further; there is no place beyond the ends. */
  readonly shift: (project: ProjectId, steps: number) => void;
  readonly step: (steps: number) => void;
}

/** The tabs that can be shown: of projects in use, and of the one that is open whatever its state. */
export function useProjectTabs(): ShownTabs {
  const { projectTabs, connection, mirror } = useTalkfield();
  const ids = useSyncExternalStore(projectTabs.subscribe, projectTabs.current);
  const projects = useProjects();
  const { project: open } = useServer();
  return useMemo(() => {
    const isShown = (project: ProjectRecord) => (project.state ?? "active") === "active" || project.project === open;
    const byId = new Map(projects.filter(isShown).map((project) => [project.project, project]));
    // Another page of this browser may have closed the tab of what is shown here.
    const order = !open || ids.includes(open) ? ids : [...ids, open];
    const tabs = order.flatMap((id) => byId.get(id) ?? []);
    const shown = tabs.map((tab) => tab.project);
    const show = (project: ProjectId) => {
      if (project !== open) connection.openProject(project);
    };
    return {
      tabs,
      open,
      others: [...byId.values()].filter((project) => !order.includes(project.project)),
      show,
      close: (project) => {
        if (project !== open) {
          projectTabs.close(project);
          return;
        }
        const next = besideTab(shown, project);
        if (!next) return;
        show(next);
        const end = mirror.subscribe("server", () => {
          if (mirror.server.project === project) return;
          end();
          projectTabs.close(project);
        });
      },
      shift: (project, steps) => {
        const other = shown[shown.indexOf(project) + steps];
        if (other) projectTabs.move(project, other);
      },
      step: (steps) => {
        const next = tabAfter(shown, open, steps);
        if (next) show(next);
      },
    };
  }, [ids, projects, open, projectTabs, connection, mirror]);
}
