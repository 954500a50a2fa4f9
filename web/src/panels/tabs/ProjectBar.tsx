import { FolderOpen, Plus } from "lucide-react";
import { useState } from "react";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { IconButton } from "../../ui/Button";
import { Menu, MenuHeading, MenuItem, MenuSeparator } from "../../ui/Menu";
import { useNarrow } from "../../ui/useNarrow";
import type { ProjectId } from "../../wire/generated";
import { Logo } from "../Logo";
import { ProjectsMenu } from "../ProjectsMenu";
import { useOpenWindow } from "../pageWindows";
import { ActivityDot, activityOf } from "./ActivityDot";
import styles from "./ProjectBar.module.css";
import { ProjectTabList } from "./ProjectTabList";
import { TitleField } from "./TitleField";
import { useProjectTabs } from "./useProjectTabs";

/** Below this there is room for one title: the menu has the others. */
const NARROW_PX = 900;

/** Which projects are open, as tabs where there is room; shows another, starts one, renames one. */
export function ProjectBar({ onShelf }: { readonly onShelf: () => void }) {
  const { ask, connection, mirror } = useTalkfield();
  const openWindow = useOpenWindow();
  const shown = useProjectTabs();
  const narrow = useNarrow(NARROW_PX);
  const [naming, setNaming] = useState<"new" | ProjectId | null>(null);
  const stop = () => setNaming(null);

  const named = async (title: string) => {
    const purpose = naming;
    stop();
    if (title.trim() === "" || purpose === null) return;
    if (purpose !== "new") {
      if (title !== shown.tabs.find((tab) => tab.project === purpose)?.title) {
        void ask({ do: "renameProject", project: purpose, title });
      }
      return;
    }
    const before = mirror.server.project;
    const ack = await ask({ do: "addProject", title });
    const made = ack?.made?.[0];
    // Whoever has gone on to another project meanwhile is left there.
    if (made && mirror.server.project === before) connection.openProject(made as ProjectId);
  };
  const newField = naming === "new" && (
    <TitleField label="Title of the new project" onDone={(title) => void named(title)} onCancel={stop} />
  );
  if (narrow && naming !== null) {
    const title = shown.tabs.find((tab) => tab.project === naming)?.title ?? "";
    return (
      <div className={styles.bar}>
        <span className={styles.logo}>
          <Logo />
        </span>
        {newField || (
          <TitleField
            label="Title of the project"
            initial={title}
            onDone={(title) => void named(title)}
            onCancel={stop}
          />
        )}
      </div>
    );
  }
  return (
    <div className={styles.bar}>
      <ProjectsMenu
        shown={shown}
        withTitle={narrow}
        onShelf={onShelf}
        onNew={() => setNaming("new")}
        onRename={() => setNaming(shown.open)}
      />
      {!narrow && (
        <ProjectTabList
          shown={shown}
          naming={naming === "new" ? null : naming}
          onRename={setNaming}
          onNamed={(title) => void named(title)}
          onCancel={stop}
        />
      )}
      {!narrow &&
        (newField || (
          <Menu
            trigger={
              <IconButton label="New tab: a new project, or one that is there" data-testid={TEST_IDS.projectTabAdd}>
                <Plus size={16} />
              </IconButton>
            }
          >
            <MenuItem icon={<Plus size={15} />} onSelect={() => setNaming("new")}>
              New project
            </MenuItem>
            <MenuItem icon={<FolderOpen size={15} />} onSelect={() => openWindow("projects")}>
              Open a folder…
            </MenuItem>
            {shown.others.length > 0 && (
              <>
                <MenuSeparator />
                <MenuHeading>Projects without a tab</MenuHeading>
                {shown.others.map((project) => (
                  <MenuItem
                    key={project.id}
                    icon={<ActivityDot activity={activityOf(project)} />}
                    onSelect={() => shown.show(project.project)}
                  >
                    {project.title || "Untitled"}
                  </MenuItem>
                ))}
              </>
            )}
          </Menu>
        ))}
    </div>
  );
}
