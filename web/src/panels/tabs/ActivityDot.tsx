import type { ProjectRecord } from "../../wire/generated";
import styles from "./ActivityDot.module.css";

type Activity = "waiting" | "live";

/** What goes on there while another project is looked at; what waits for a person comes first. */
export function activityOf(project: ProjectRecord): Activity | null {
  if ((project.waiting ?? 0) > 0) return "waiting";
  return (project.live ?? 0) > 0 ? "live" : null;
}

/** Of several projects: what is most worth knowing. */
export function activityOfAll(projects: readonly ProjectRecord[]): Activity | null {
  const all = projects.map(activityOf);
  if (all.includes("waiting")) return "waiting";
  return all.includes("live") ? "live" : null;
}

const WORDS = { waiting: "needs you", live: "is answering" } as const;

/** A point that says that something goes on, in words too. */
export function ActivityDot({ activity }: { readonly activity: Activity | null }) {
  if (!activity) return null;
  return (
    <span className={styles.dot} data-activity={activity} title={WORDS[activity]}>
      <span className="visually-hidden"> {WORDS[activity]}</span>
    </span>
  );
}
