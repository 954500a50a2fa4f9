import { CircleAlert, X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { useTalkfield } from "../Talkfield";
import { TEST_IDS } from "../testIds";
import { Button, IconButton } from "./Button";
import styles from "./NoticeList.module.css";

/** What went wrong with a command, in the server's words. */
export function NoticeList() {
  const { notices } = useTalkfield();
  const list = useSyncExternalStore(notices.subscribe, notices.list);
  return (
    <div className={styles.list} role="alert" aria-live="assertive">
      {list.map((notice) => (
        <div key={notice.id} className={styles.notice} data-testid={TEST_IDS.notice}>
          <CircleAlert size={16} className={styles.icon} />
          <div className={styles.said}>
            <p className={styles.text}>{notice.text}</p>
            {notice.steps.length > 0 && (
              <div className={styles.steps}>
                {notice.steps.map((step) => (
                  <Button
                    key={step.label}
                    size="small"
                    data-testid={step.testId}
                    onClick={() => {
                      notices.dismiss(notice.id);
                      step.act();
                    }}
                  >
                    {step.label}
                  </Button>
                ))}
              </div>
            )}
          </div>
          <IconButton small label="Dismiss" onClick={() => notices.dismiss(notice.id)}>
            <X size={14} />
          </IconButton>
        </div>
      ))}
    </div>
  );
}
