import { Download, FileArchive, FolderOpen } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { useProjects, useSave } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { fileSize } from "../../ui/numbers";
import { CommandError, wordsFor } from "../../wire/commands";
import type { DataFolderState } from "../../wire/generated";
import { archiveAddress } from "../../wire/http";
import { download } from "../download";
import { ProjectRow } from "../projects/ProjectRow";
import settings from "../Settings.module.css";
import styles from "./DataSettings.module.css";
import { RestoreBackup } from "./RestoreBackup";

/** Where everything is, out as one file, and in again (ST10, U13). */
export function DataSettings() {
  const { http } = useTalkfield();
  const save = useSave();
  const binned = useProjects().filter((project) => project.state === "binned");
  const [folder, setFolder] = useState<DataFolderState | null>(null);
  const [making, setMaking] = useState<"backup" | "export" | null>(null);
  const [problem, setProblem] = useState("");
  const look = useCallback(
    (signal: AbortSignal) =>
      http.dataFolder(signal).then(setFolder, (error: unknown) => {
        if (!signal.aborted) setProblem(wordsFor(error));
      }),
    [http],
  );
  useEffect(() => {
    const control = new AbortController();
    void look(control.signal);
    return () => control.abort();
  }, [look]);

  const make = async (of: "backup" | "export") => {
    setMaking(of);
    setProblem("");
    try {
      download(archiveAddress(await http.makeArchive(of)));
    } catch (error) {
      if (!(error instanceof CommandError && error.code === "cancelled")) setProblem(wordsFor(error));
    }
    setMaking(null);
  };
  const failed = save?.state === "failed";
  return (
    <div data-testid={TEST_IDS.dataSettings}>
      <h3 className={settings.heading}>Where everything is</h3>
      {folder && (
        <>
          <p className={styles.path}>
            <FolderOpen size={15} />
            <code>{folder.folder}</code>
          </p>
          <p className={settings.about}>{sizes(folder)}</p>
        </>
      )}
      <p className={failed ? settings.problem : settings.about}>
        {failed ? `Not saved: ${save.message}` : "Everything is saved."}
      </p>
      {folder && (folder.setAside?.length ?? 0) > 0 && (
        <details className={styles.aside}>
          <summary>Kept there from before: {folder.setAside?.length}</summary>
          <ul>
            {folder.setAside?.map((name) => (
              <li key={name}>
                <code>{name}</code>
              </li>
            ))}
          </ul>
        </details>
      )}

      <h3 className={settings.heading}>Backup and export</h3>
      <div className={styles.choice}>
        <p className={settings.about}>
          A backup holds everything but keys: projects, shelf, attachments, costs, settings. Work goes on meanwhile.
        </p>
        <Button
          look="primary"
          disabled={making !== null}
          data-testid={TEST_IDS.backUp}
          onClick={() => void make("backup")}
        >
          <FileArchive size={15} /> {making === "backup" ? "Making a backup…" : "Back up now"}
        </Button>
      </div>
      <div className={styles.choice}>
        <p className={settings.about}>
          An export is for reading, and for other programs: every project as Markdown and as JSON.
        </p>
        <Button disabled={making !== null} onClick={() => void make("export")}>
          <Download size={15} /> {making === "export" ? "Exporting…" : "Export everything"}
        </Button>
      </div>
      {problem && (
        <p role="alert" className={settings.problem}>
          {problem}
        </p>
      )}

      <h3 className={settings.heading}>Restore</h3>
      {folder && <RestoreBackup folder={folder} onChanged={setFolder} />}

      <h3 className={settings.heading}>Bin</h3>
      {binned.length === 0 && <p className={settings.about}>No project is in the bin.</p>}
      <ul className={styles.bin}>
        {binned.map((project) => (
          <ProjectRow key={project.id} project={project} onClose={() => undefined} />
        ))}
      </ul>
    </div>
  );
}

function sizes(folder: DataFolderState): string {
  const files = folder.attachments === 1 ? "1 attachment" : `${folder.attachments} attachments`;
  const kept = folder.attachments ? `, ${files} ${fileSize(folder.attachmentBytes)}` : "";
  return `Conversations ${fileSize(folder.databaseBytes)}${kept}; ${fileSize(folder.freeBytes)} are free on this disk.`;
}
