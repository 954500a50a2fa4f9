import { Archive, MessageSquarePlus, Redo2, Settings, StickyNote, Undo2 } from "lucide-react";
import { useActions } from "../canvas/useActions";
import { useHistory } from "../mirror/hooks";
import { TEST_IDS } from "../testIds";
import { Button, IconButton } from "../ui/Button";
import { names } from "../ui/names";
import { Inbox } from "./Inbox";
import { useOpenSettings } from "./openSettings";
import { SaveState } from "./SaveState";
import styles from "./TopBar.module.css";
import { ProjectBar } from "./tabs/ProjectBar";

/** What stands above the canvas: the project on the left, what can be done on the right. */
export function TopBar({ onShelf }: { readonly onShelf: () => void }) {
  const openSettings = useOpenSettings();
  const actions = useActions();
  const history = useHistory();
  return (
    <header className={styles.bar}>
      <div className={names(styles.group, styles.projects)}>
        <ProjectBar onShelf={onShelf} />
        <SaveState />
      </div>
      <div className={styles.spacer} />
      <Inbox />
      <div className={styles.group}>
        <Button
          look="quiet"
          title="New chat (N)"
          data-testid={TEST_IDS.addChat}
          onClick={() => void actions.add("chat")}
        >
          <MessageSquarePlus size={16} />
          <span className={styles.words}>New chat</span>
        </Button>
        <IconButton
          label="New note"
          title="New note (S)"
          data-testid={TEST_IDS.addSticky}
          onClick={() => void actions.add("sticky")}
        >
          <StickyNote size={16} />
        </IconButton>
        <span className={styles.line} />
        <IconButton
          label={history?.undo ? `Undo ${history.undo}` : "Undo"}
          disabled={!history?.undo}
          data-testid={TEST_IDS.undo}
          onClick={() => actions.travel("undo")}
        >
          <Undo2 size={16} />
        </IconButton>
        <IconButton
          label={history?.redo ? `Redo ${history.redo}` : "Redo"}
          disabled={!history?.redo}
          data-testid={TEST_IDS.redo}
          onClick={() => actions.travel("redo")}
        >
          <Redo2 size={16} />
        </IconButton>
        <IconButton label="Shelf: what was taken away" data-testid={TEST_IDS.shelfOpen} onClick={onShelf}>
          <Archive size={16} />
        </IconButton>
        <span className={styles.line} />
        <IconButton label="Settings" data-testid={TEST_IDS.settingsOpen} onClick={() => openSettings("providers")}>
          <Settings size={16} />
        </IconButton>
      </div>
    </header>
  );
}
