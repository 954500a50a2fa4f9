import { LoaderCircle } from "lucide-react";
import { useProviders, useToolServers, useWorks } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import styles from "./WorkList.module.css";

/** What takes a while, how far it is, and an end to it. What is over at once is never seen. */
export function WorkList() {
  const { ask } = useTalkfield();
  const works = useWorks();
  const servers = useToolServers().filter((server) => server.status === "starting");
  const models = useProviders().filter((provider) => provider.origin === "local" && provider.status === "starting");
  return (
    <div className={styles.list} role="status" aria-label="What goes on">
      {works.map((work) => (
        <Work
          key={work.id}
          what={work.what}
          done={work.done ?? 0}
          total={work.total ?? 0}
          onCancel={() => void ask({ do: "cancelWork", work: work.id })}
        />
      ))}
      {servers.map((server) => (
        <Work
          key={server.id}
          what={`Starting the tool server ${server.name}`}
          {...(server.origin === "settings" && {
            onCancel: () => void ask({ do: "enableToolServer", name: server.name, enabled: false }),
          })}
        />
      ))}
      {models.map((provider) => (
        <Work key={provider.id} what={`Starting: ${provider.name}`} />
      ))}
    </div>
  );
}

interface WorkProps {
  readonly what: string;
  readonly done?: number;
  /** 0: nobody knows how much there is to do. */
  readonly total?: number;
  /** Without it, there is no end to it but its own. */
  readonly onCancel?: () => void;
}

function Work({ what, done = 0, total = 0, onCancel }: WorkProps) {
  const percent = total > 0 ? Math.floor((done / total) * 100) : null;
  return (
    <div className={styles.work} data-testid={TEST_IDS.work}>
      <LoaderCircle size={16} className={styles.spin} />
      <span className={styles.what}>{what}</span>
      {percent !== null && <span className={styles.percent}>{percent} %</span>}
      {onCancel && (
        <Button look="quiet" size="small" onClick={onCancel}>
          Cancel
        </Button>
      )}
      <progress className={styles.bar} aria-label={what} {...(percent !== null && { value: percent })} max={100} />
    </div>
  );
}
