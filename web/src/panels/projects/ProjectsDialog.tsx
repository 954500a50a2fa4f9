import { Archive, ArchiveRestore, Copy, FolderOpen, Trash2, Undo2 } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { useProjects, useServer } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button, IconButton } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { wordsFor } from "../../wire/commands";
import type { ProjectId, ProjectRecord, ProjectState } from "../../wire/generated";
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
                  <Row key={project.id} project={project} onClose={onClose} />
                ))}
              </ul>
            </div>
          );
        })}
      </section>
    </Dialog>
  );
}

function Row({ project, onClose }: { readonly project: ProjectRecord; readonly onClose: () => void }) {
  const { ask, connection } = useTalkfield();
  const open = useServer().project === project.project;
  const [sure, setSure] = useState(false);
  const state = project.state ?? "active";
  const move = (to: ProjectState) => void ask({ do: "moveProject", project: project.project, state: to });
  const title = project.title || "Untitled";
  const button = (label: string, icon: ReactNode, onClick: () => void) => (
    <IconButton label={`${label}: ${title}`} title={label} onClick={onClick}>
      {icon}
    </IconButton>
  );
  return (
    <li className={styles.row} data-testid={TEST_IDS.projectRow} data-state={state}>
      <button
        type="button"
        className={styles.title}
        disabled={state !== "active" || open}
        onClick={() => {
          connection.openProject(project.project);
          onClose();
        }}
      >
        <span className={styles.name}>{title}</span>
        <span className={styles.about}>{open ? "Open now" : (project.folder ?? "")}</span>
      </button>
      {state === "active" && (
        <>
          {button("Duplicate", <Copy size={15} />, () => {
            void ask({ do: "duplicateProject", project: project.project });
          })}
          {button("Archive", <Archive size={15} />, () => move("archived"))}
        </>
      )}
      {state === "archived" && button("Take out of the archive", <ArchiveRestore size={15} />, () => move("active"))}
      {state !== "binned" && button("Move to the bin", <Trash2 size={15} />, () => move("binned"))}
      {state === "binned" && button("Bring back", <Undo2 size={15} />, () => move("active"))}
      {state === "binned" && !sure && button("Delete for good", <Trash2 size={15} />, () => setSure(true))}
      {sure && (
        <Button
          look="danger"
          size="small"
          autoFocus
          onBlur={() => setSure(false)}
          onClick={() => void ask({ do: "deleteProject", project: project.project })}
        >
          Delete for good
        </Button>
      )}
    </li>
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
