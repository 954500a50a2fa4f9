import { Archive, ArchiveRestore, Copy, Trash2, Undo2 } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { useServer } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button, IconButton } from "../../ui/Button";
import type { ProjectRecord, ProjectState } from "../../wire/generated";
import styles from "./ProjectsDialog.module.css";

/** A project in a list, with what can be done to it where it is: in use, in the archive, in the bin. */
export function ProjectRow({ project, onClose }: { readonly project: ProjectRecord; readonly onClose: () => void }) {
  const { ask, connection } = useTalkfield();
  const open = useServer().project === project.project;
  const [sure, setSure] = useState(false);
  const state = project.state ?? "active";
  const move = (to: ProjectState) => void ask({ do: "moveProject", project: project.project, state: to });
  const title = project.title || "Untitled";
  const copying = useRef(false);
  const duplicate = async () => {
    // Two clicks in a row mean one copy.
    if (copying.current) return;
    copying.current = true;
    await ask({ do: "duplicateProject", project: project.project });
    copying.current = false;
  };
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
          {button("Duplicate", <Copy size={15} />, () => void duplicate())}
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
