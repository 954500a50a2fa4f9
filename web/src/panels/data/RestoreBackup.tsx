import { FileUp } from "lucide-react";
import { useRef, useState } from "react";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { fullTime } from "../../ui/time";
import { CommandError, wordsFor } from "../../wire/commands";
import type { BackupContent, DataFolderState } from "../../wire/generated";
import settings from "../Settings.module.css";
import styles from "./DataSettings.module.css";

interface RestoreBackupProps {
  readonly folder: DataFolderState;
  readonly onChanged: (folder: DataFolderState) => void;
}

/** A backup is looked at first; then a person says whether it is to take the place of everything (ST10). */
export function RestoreBackup({ folder, onChanged }: RestoreBackupProps) {
  const { http } = useTalkfield();
  const picker = useRef<HTMLInputElement>(null);
  const [state, setState] = useState<"ready" | "checking" | "deciding">("ready");
  const [found, setFound] = useState<BackupContent | null>(null);
  const [problem, setProblem] = useState("");
  const attempt = async (during: "checking" | "deciding", work: () => Promise<void>) => {
    setState(during);
    setProblem("");
    try {
      await work();
    } catch (error) {
      if (!(error instanceof CommandError && error.code === "cancelled")) setProblem(wordsFor(error));
    }
    setState("ready");
  };
  const check = (file: File | undefined) => {
    setFound(null);
    if (file) void attempt("checking", async () => setFound(await http.checkBackup(file)));
  };
  const decide = (change: () => Promise<DataFolderState>) =>
    void attempt("deciding", async () => {
      onChanged(await change());
      setFound(null);
    });

  if (folder.restoring) {
    return (
      <div className={styles.waiting} data-testid={TEST_IDS.restoreWaiting}>
        <p>
          <strong>The backup of {fullTime(folder.restoring.at)} is ready.</strong> It takes the place of everything here
          when Talkfield next starts: end Talkfield in its terminal with Ctrl-C and start it again. What is here now is
          then kept in <code>{folder.restoringAside}</code>.
        </p>
        <Button disabled={state !== "ready"} onClick={() => decide(() => http.dropRestore())}>
          Do not restore
        </Button>
        <Problem words={problem} />
      </div>
    );
  }
  return (
    <>
      <div className={styles.choice}>
        <p className={settings.about}>
          Restore a backup: you see what is in it first. Nothing here is overwritten; it is kept beside.
        </p>
        <input
          ref={picker}
          type="file"
          accept=".zip"
          aria-label="Backup to restore"
          className={styles.file}
          data-testid={TEST_IDS.restoreFile}
          onChange={(event) => {
            check(event.target.files?.[0]);
            event.target.value = "";
          }}
        />
        <Button disabled={state !== "ready"} onClick={() => picker.current?.click()}>
          <FileUp size={15} /> {state === "checking" ? "Checking…" : "Choose a backup"}
        </Button>
      </div>
      <Problem words={problem} />
      {found && (
        <section className={styles.found} aria-label="What is in the backup">
          <p>
            Made {fullTime(found.at)} by Talkfield {found.version}:
          </p>
          <ul className={styles.projects}>
            {found.projects.map((project, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and titles may be alike.
              <li key={index}>
                <span className={styles.title}>{project.title || "Untitled"}</span>
                <span className={settings.about}>
                  {project.messages === 1 ? "1 message" : `${project.messages} messages`}
                  {project.state === "archived" && ", archived"}
                  {project.state === "binned" && ", in the bin"}
                </span>
              </li>
            ))}
          </ul>
          <div className={settings.formButtons}>
            <Button look="quiet" disabled={state !== "ready"} onClick={() => decide(() => http.dropRestore())}>
              Leave it
            </Button>
            <Button
              look="primary"
              disabled={state !== "ready"}
              data-testid={TEST_IDS.restoreConfirm}
              onClick={() => decide(() => http.confirmRestore(found.id))}
            >
              Restore at the next start
            </Button>
          </div>
        </section>
      )}
    </>
  );
}

function Problem({ words }: { readonly words: string }) {
  return words ? (
    <p role="alert" className={settings.problem}>
      {words}
    </p>
  ) : null;
}
