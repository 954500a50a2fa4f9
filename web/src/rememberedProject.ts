/** Which project this tab shows, so that a reload shows it again whatever other tabs have opened since. */
import type { ProjectId } from "./wire/generated";

const STORAGE_KEY = "talkfield.project";

/** Null for a page that was newly opened: it shows the project opened last. */
export function rememberedProject(): ProjectId | null {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (navigation?.type !== "reload" && navigation?.type !== "back_forward") return null;
  try {
    return sessionStorage.getItem(STORAGE_KEY) as ProjectId | null;
  } catch {
    return null;
  }
}

export function rememberProject(project: ProjectId | null): void {
  try {
    if (project) sessionStorage.setItem(STORAGE_KEY, project);
  } catch {
    // Storage is full or forbidden: a reload shows the project opened last.
  }
}
