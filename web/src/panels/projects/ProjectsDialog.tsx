import { FolderOpen } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useProjects } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { wordsFor } from "../../wire/commands";
import type { ProjectId, ProjectState } from "../../wire/generated";
import { ProjectRow } from "./ProjectRow";
import styles from "./ProjectsDialog.module.css";

const PARTS: readonly { readonly state: ProjectState; readonly title: string; readonly none: string }[] = [
  { state: "active", title: "In use", none: "" },
  { state: "archived", title: "Archive", none: "Nothing is archived." },
  { state: "binned", title: "Bin", none: "The bin is empty." },
];

/** All projects, with what can be done to each; a folder is opened from here, too. */
export function ProjectsDialog({ onClose }: { readonly onClose: () => void }) {
  const projects = useProjects();
  return (
    <Dialog title="Projects" onClose={onClose} testId={TEST_IDS.projects}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className={styles.panel} aria-label="All projects" tabIndex={0}>
        <OpenFolder onOpened={onClose} />
        {PARTS.map(({ state, title, none }) => {
          const those = projects.filter((project) => (project.state ?? "active") === state);
          return (
            <div key={state}>
              <h3 className={styles.heading}>{title}</h3>
              {those.length === 0 && <p className={styles.none}>{none}</p>}
              <ul className={styles.list}>
                {those.map((project) => (
                  <ProjectRow key={project.id} project={project} onClose={onClose} />
                ))}
              </ul>
            </div>
          );
        })}
      </section>
    </Dialog>
  );
}

function OpenFolder({ onOpened }: { readonly onOpened: () => void }) {
  const { http, connection } = useTalkfield();
  const [folder, setFolder] = useState("");
  const [problem, setProblem] = useState("");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem("");
    try {
      const { id } = await http.openFolder(folder.trim(), new AbortController().signal);
      connection.openProject(id as ProjectId);
      onOpened();
    } catch (error) {
      setProblem(wordsFor(error));
    }
  };
  return (
    <form className={styles.open} onSubmit={(event) => void submit(event)}>
      <FolderOpen size={15} />
      <input
        aria-label="Folder to open"
        placeholder="Open a folder: /home/me/project"
        className={styles.field}
        value={folder}
        onChange={(event) => setFolder(event.target.value)}
      />
      <Button type="submit" size="small" disabled={folder.trim() === ""}>
        Open
      </Button>
      {problem && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </form>
  );
}
