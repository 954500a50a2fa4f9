import { Archive, ChartColumn, Check, ChevronDown, FileDown, FileUp, FolderOpen, Pencil, Plus } from "lucide-react";
import { TEST_IDS } from "../testIds";
import { Menu, MenuHeading, MenuItem, MenuSeparator } from "../ui/Menu";
import { names } from "../ui/names";
import { EXPORT_FORMATS, exportProject } from "./download";
import { Logo } from "./Logo";
import styles from "./ProjectsMenu.module.css";
import { useOpenWindow } from "./pageWindows";
import { ActivityDot, activityOf, activityOfAll } from "./tabs/ActivityDot";
import type { ShownTabs } from "./tabs/useProjectTabs";

interface ProjectsMenuProps {
  readonly shown: ShownTabs;
  /** The title of the open project stands here: there are no tabs. */
  readonly withTitle: boolean;
  readonly onShelf: () => void;
  readonly onNew: () => void;
  readonly onRename: () => void;
}

/** What can be done with projects; where there are no tabs, also which one is open. */
export function ProjectsMenu({ shown, withTitle, onShelf, onNew, onRename }: ProjectsMenuProps) {
  const openWindow = useOpenWindow();
  const { open } = shown;
  const current = shown.tabs.find((project) => project.project === open);
  const elsewhere = [...shown.tabs, ...shown.others].filter((project) => project.project !== open);
  const title = current?.title || "Talkfield";
  return (
    <Menu
      trigger={
        <button
          type="button"
          className={names(styles.trigger, !withTitle && styles.alone)}
          data-testid={TEST_IDS.projectsMenu}
          title="Projects"
        >
          <Logo />
          <span className={withTitle ? styles.title : "visually-hidden"}>{title}</span>
          {withTitle && <ActivityDot activity={activityOfAll(elsewhere)} />}
          <ChevronDown size={14} className={styles.chevron} />
        </button>
      }
    >
      <MenuHeading>Projects</MenuHeading>
      {[...shown.tabs, ...shown.others].map((project) => (
        <MenuItem
          key={project.id}
          icon={<Check size={15} className={names(project.project !== open && styles.other)} />}
          onSelect={() => shown.show(project.project)}
        >
          {project.title || "Untitled"}
          {project.folder && <span className={styles.folder}>{project.folder}</span>}
          {project.project !== open && <ActivityDot activity={activityOf(project)} />}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem icon={<Plus size={15} />} onSelect={onNew}>
        New project
      </MenuItem>
      <MenuItem icon={<Pencil size={15} />} disabled={!current} onSelect={onRename}>
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
