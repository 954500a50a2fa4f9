import { useState } from "react";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { useCommand } from "../../useCommand";
import type { ToolServerRecord } from "../../wire/generated";
import settings from "../Settings.module.css";
import styles from "./Tools.module.css";

const STATUS_WORDS: Record<ToolServerRecord["status"], string> = {
  asking: "Waits for your answer",
  refused: "You said no",
  off: "Off",
  idle: "Starts when a chat first needs it",
  starting: "Starting",
  ready: "Ready",
  failed: "Failed",
};

interface ServerRowProps {
  readonly server: ToolServerRecord;
  /** Null: it is not the person's own to change. */
  readonly onEdit: (() => void) | null;
}

export function ServerRow({ server, onEdit }: ServerRowProps) {
  const { busy, problem, run } = useCommand();
  const [sure, setSure] = useState(false);
  const { name, status } = server;
  const mayRun = status !== "asking" && status !== "refused" && status !== "off";
  return (
    <li className={settings.provider} data-testid={TEST_IDS.toolServer} data-status={status}>
      <ServerFacts server={server} problem={problem} />
      <div className={settings.buttons}>
        {mayRun && (
          <Button
            size="small"
            disabled={busy || status === "starting"}
            title="Start it anew and ask it for its tools"
            onClick={() => void run({ do: "restartToolServer", name })}
          >
            {status === "starting" ? "Starting" : "Test"}
          </Button>
        )}
        {onEdit && (
          <>
            <Button
              size="small"
              disabled={busy}
              onClick={() => void run({ do: "enableToolServer", name, enabled: status === "off" })}
            >
              {status === "off" ? "Turn on" : "Turn off"}
            </Button>
            <Button size="small" onClick={onEdit}>
              Edit
            </Button>
            <Button
              size="small"
              look={sure ? "danger" : "quiet"}
              onBlur={() => setSure(false)}
              onClick={() => (sure ? void run({ do: "removeToolServer", name }) : setSure(true))}
            >
              {sure ? "Remove it" : "Remove"}
            </Button>
          </>
        )}
      </div>
    </li>
  );
}

interface PackageRowProps {
  readonly server: ToolServerRecord;
  readonly on: boolean;
  readonly onSwitch: (on: boolean) => void;
}

export function PackageRow({ server, on, onSwitch }: PackageRowProps) {
  return (
    <li className={settings.provider} data-testid={TEST_IDS.toolServer} data-status={server.status}>
      <ServerFacts server={server} problem="" />
      <div className={settings.buttons}>
        <Button size="small" onClick={() => onSwitch(!on)}>
          {on ? "Turn off" : "Turn on"}
        </Button>
      </div>
    </li>
  );
}

function ServerFacts({ server, problem }: { readonly server: ToolServerRecord; readonly problem: string }) {
  const { tools = [], readOnly = [], names = [] } = server;
  return (
    <div className={settings.who}>
      <p className={settings.name}>
        {server.name}
        <span className={settings.status} data-status={server.status}>
          {STATUS_WORDS[server.status]}
        </span>
      </p>
      <p className={settings.facts}>
        <code dir="ltr" className={styles.what}>
          {server.what}
        </code>
      </p>
      {names.length > 0 && <p className={settings.facts}>Is given: {names.join(", ")}</p>}
      {server.message && <p className={settings.message}>{server.message}</p>}
      {tools.length > 0 && (
        <details className={styles.more}>
          <summary>{tools.length === 1 ? "1 tool" : `${tools.length} tools`}</summary>
          <ul className={styles.tools}>
            {tools.map((tool) => (
              <li key={tool}>
                <code>{tool}</code>
                {readOnly.includes(tool) && <span className={styles.asks}>says that it only reads</span>}
              </li>
            ))}
          </ul>
        </details>
      )}
      {problem && (
        <p role="alert" className={settings.problem}>
          {problem}
        </p>
      )}
    </div>
  );
}
