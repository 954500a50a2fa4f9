import { Archive, ChartColumn, Check, ChevronDown, FileDown, FileUp, FolderOpen, Pencil, Plus } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { useProjects, useServer } from "../mirror/hooks";
import { useTalkfield } from "../Talkfield";
import { TEST_IDS } from "../testIds";
import { Menu, MenuHeading, MenuItem, MenuSeparator } from "../ui/Menu";
import { names } from "../ui/names";
import type { ProjectId } from "../wire/generated";
import { EXPORT_FORMATS, exportProject } from "./download";
import { Logo } from "./Logo";
import styles from "./ProjectsMenu.module.css";
import { useOpenWindow } from "./pageWindows";

/** Which project is open; opens another, starts one, renames this one. */
export function ProjectsMenu({ onShelf }: { readonly onShelf: () => void }) {
  const { ask, connection } = useTalkfield();
  const projects = useProjects();
  const { project: open } = useServer();
  const openWindow = useOpenWindow();
  const [naming, setNaming] = useState<"new" | "rename" | null>(null);
  const current = projects.find((project) => project.project === open);

  const name = async (title: string) => {
    const purpose = naming;
    setNaming(null);
    if (title.trim() === "") return;
    if (purpose === "rename" && current) {
      if (title !== current.title) void ask({ do: "renameProject", project: current.project, title });
    } else {
      const ack = await ask({ do: "addProject", title });
      const made = ack?.made?.[0];
      if (made) connection.openProject(made as ProjectId);
    }
  };

  if (naming) {
    return (
      <div className={styles.naming}>
        <Logo />
        <NameField
          label={naming === "new" ? "Title of the new project" : "Title of the project"}
          initial={naming === "rename" ? (current?.title ?? "") : ""}
          onDone={(title) => void name(title)}
          onCancel={() => setNaming(null)}
        />
      </div>
    );
  }
  return (
    <Menu
      trigger={
        <button type="button" className={styles.trigger} data-testid={TEST_IDS.projectsMenu} title="Projects">
          <Logo />
          <span className={styles.title}>{current?.title || "Talkfield"}</span>
          <ChevronDown size={14} className={styles.chevron} />
        </button>
      }
    >
      <MenuHeading>Projects</MenuHeading>
      {projects
        .filter((project) => (project.state ?? "active") === "active" || project.project === open)
        .map((project) => (
          <MenuItem
            key={project.id}
            icon={<Check size={15} className={names(project.project !== open && styles.other)} />}
            onSelect={() => project.project !== open && connection.openProject(project.project)}
          >
            {project.title || "Untitled"}
            {project.folder && <span className={styles.folder}>{project.folder}</span>}
          </MenuItem>
        ))}
      <MenuSeparator />
      <MenuItem icon={<Plus size={15} />} onSelect={() => setNaming("new")}>
        New project
      </MenuItem>
      <MenuItem icon={<Pencil size={15} />} disabled={!current} onSelect={() => setNaming("rename")}>
        Rename this project
      </MenuItem>
      <MenuItem icon={<FolderOpen size={15} />} onSelect={() => openWindow("projects")}>
        All projects, folders, bin…
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<FileUp size={15} />} disabled={!current} onSelect={() => openWindow("import")}>
        Import conversations…
      </MenuItem>
      {current &&
        EXPORT_FORMATS.map(({ format, words }) => (
          <MenuItem key={format} icon={<FileDown size={15} />} onSelect={() => exportProject(current.project, format)}>
            Export the canvas as {words}
          </MenuItem>
        ))}
      <MenuSeparator />
      <MenuItem icon={<ChartColumn size={15} />} onSelect={() => openWindow("usage")}>
        Usage
      </MenuItem>
      <MenuItem icon={<Archive size={15} />} disabled={!current} onSelect={onShelf}>
        Shelf
      </MenuItem>
    </Menu>
  );
}

interface NameFieldProps {
  readonly label: string;
  readonly initial: string;
  readonly onDone: (title: string) => void;
  readonly onCancel: () => void;
}

function NameField({ label, initial, onDone, onCancel }: NameFieldProps) {
  const [title, setTitle] = useState(initial);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") onDone(title);
    if (event.key === "Escape") onCancel();
  };
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: it takes the place of the menu that asked for it.
      autoFocus
      aria-label={label}
      placeholder={label}
      maxLength={200}
      className={styles.field}
      value={title}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setTitle(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={onCancel}
    />
  );
}
