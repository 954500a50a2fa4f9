import { Plus } from "lucide-react";
import { useState } from "react";
import { useServer, useSettings, useToolServers } from "../../mirror/hooks";
import { useChanges } from "../../mirror/useChanges";
import { useTalkfield } from "../../Talkfield";
import { Button } from "../../ui/Button";
import settings from "../Settings.module.css";
import { NotifySwitch } from "./NotifySwitch";
import { ServerForm } from "./ServerForm";
import { ServerQuestion } from "./ServerQuestion";
import { PackageRow, ServerRow } from "./ServerRow";
import styles from "./Tools.module.css";

/** Names of the packages' entry points that are turned on. */
const NONE: readonly string[] = [];

/** Where chats have their tools from: Talkfield itself, servers, and installed packages (T9, T10). */
export function ToolSettings() {
  const servers = useToolServers();
  const { ask } = useTalkfield();
  const [chosen, choose] = useChanges(useSettings()?.pythonTools ?? NONE, (pythonTools) =>
    ask({ do: "changeSettings", pythonTools }),
  );
  const [form, setForm] = useState<string | null>(null);
  if (form !== null) {
    return (
      <ServerForm
        server={servers.find((server) => server.origin === "settings" && server.name === form) ?? null}
        onDone={() => setForm(null)}
      />
    );
  }
  const own = servers.filter((server) => server.origin === "settings");
  const shared = servers.filter((server) => server.origin === "project");
  const packages = servers.filter((server) => server.origin === "python");
  return (
    <>
      <h3 className={settings.heading}>Talkfield's own</h3>
      <OwnTools />
      <div className={styles.headed}>
        <h3 className={settings.heading}>Servers of tools (MCP)</h3>
        <Button look="primary" size="small" onClick={() => setForm("")}>
          <Plus size={15} />
          Add server
        </Button>
      </div>
      <p className={settings.about}>
        Programs and services that bring tools of their own. They run with your rights; each call is asked about, unless
        a rule of yours says otherwise.
      </p>
      <ul className={settings.providers}>
        {own.map((server) => (
          <ServerRow key={server.id} server={server} onEdit={() => setForm(server.name)} />
        ))}
      </ul>
      {shared.length > 0 && (
        <>
          <h3 className={settings.heading}>This project's servers (.mcp.json)</h3>
          <ServerQuestion />
          <ul className={settings.providers}>
            {shared.map((server) => (
              <ServerRow key={server.id} server={server} onEdit={null} />
            ))}
          </ul>
        </>
      )}
      {packages.length > 0 && (
        <>
          <h3 className={settings.heading}>Tools of installed Python packages</h3>
          <p className={settings.about}>
            Nothing of a package is loaded before you turn it on; then it may do what you may.
          </p>
          <ul className={settings.providers}>
            {packages.map((each) => (
              <PackageRow
                key={each.id}
                server={each}
                on={chosen.includes(each.name)}
                onSwitch={(on) =>
                  choose((names) => [...names.filter((name) => name !== each.name), ...(on ? [each.name] : [])])
                }
              />
            ))}
          </ul>
        </>
      )}
      <h3 className={settings.heading}>While you are elsewhere</h3>
      <NotifySwitch />
    </>
  );
}

function OwnTools() {
  const { projectTools } = useServer();
  return (
    <>
      <p className={settings.about}>
        In projects that have a folder, and in that folder alone. Those marked “asks” show a card before they run.
      </p>
      <ul className={styles.tools}>
        {projectTools.map((tool) => (
          <li key={tool.name} title={tool.about}>
            <code>{tool.name}</code>
            {tool.asks && <span className={styles.asks}>asks</span>}
          </li>
        ))}
      </ul>
    </>
  );
}
