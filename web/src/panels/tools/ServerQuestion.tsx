import { useToolServers } from "../../mirror/hooks";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { useCommand } from "../../useCommand";
import type { ToolServerRecord } from "../../wire/generated";
import settings from "../Settings.module.css";
import styles from "./Tools.module.css";

/** The servers that a project's file names and that nobody has decided on (T10). */
export function useAskedServers(): readonly ToolServerRecord[] {
  return useToolServers().filter((server) => server.status === "asking");
}

/** May what the project's .mcp.json names be started? Asked once for each content of the file; nothing runs before. */
export function ServerQuestion() {
  const asked = useAskedServers();
  const { busy, problem, run } = useCommand();
  const digest = asked[0]?.digest;
  if (!digest) return null;
  const decide = (allow: boolean) => void run({ do: "decideToolServers", digest, allow });
  return (
    <section className={styles.question} aria-label="Servers of this project" data-testid={TEST_IDS.serverQuestion}>
      <p>
        <strong>This project brings {asked.length === 1 ? "a program" : `${asked.length} programs`} along.</strong> Its
        file <code>.mcp.json</code> asks Talkfield to start or call {asked.length === 1 ? "it" : "them"}, with your
        rights, for tools that chats can use:
      </p>
      <ul>
        {asked.map((server) => (
          <li key={server.id}>
            <span>{server.name}</span>
            <code dir="ltr" className={styles.what}>
              {server.what}
            </code>
            {(server.names ?? []).length > 0 && <span className={styles.asks}>sets {server.names?.join(", ")}</span>}
          </li>
        ))}
      </ul>
      <div className={styles.answers}>
        <Button size="small" disabled={busy} onClick={() => decide(true)}>
          Let {asked.length === 1 ? "it" : "them"} run
        </Button>
        <Button size="small" disabled={busy} onClick={() => decide(false)}>
          No
        </Button>
      </div>
      <p className={styles.soft}>Your answer is for the file as it is now. When it changes, you are asked again.</p>
      {problem && (
        <p role="alert" className={settings.problem}>
          {problem}
        </p>
      )}
    </section>
  );
}
