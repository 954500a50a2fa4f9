import { LoaderCircle } from "lucide-react";
import { useWorks } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import type { WorkRecord } from "../../wire/generated";
import styles from "./WorkList.module.css";

/** What takes a while, how far it is, and an end to it. What is over at once is never seen. */
export function WorkList() {
  const works = useWorks();
  return (
    <div className={styles.list} role="status" aria-label="What goes on">
      {works.map((work) => (
        <Work key={work.id} work={work} />
      ))}
    </div>
  );
}

function Work({ work }: { readonly work: WorkRecord }) {
  const { ask } = useTalkfield();
  const percent = work.total ? Math.floor(((work.done ?? 0) / work.total) * 100) : null;
  return (
    <div className={styles.work} data-testid={TEST_IDS.work}>
      <LoaderCircle size={16} className={styles.spin} />
      <span className={styles.what}>{work.what}</span>
      {percent !== null && <span className={styles.percent}>{percent} %</span>}
      <Button look="quiet" size="small" onClick={() => void ask({ do: "cancelWork", work: work.id })}>
        Cancel
      </Button>
      <progress className={styles.bar} aria-label={work.what} {...(percent !== null && { value: percent })} max={100} />
    </div>
  );
}
