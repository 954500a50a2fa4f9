import { CircleHelp } from "lucide-react";
import { useServer } from "../../mirror/hooks";
import { IconButton } from "../../ui/Button";
import { Floating } from "../../ui/Floating";
import styles from "./HelpBadge.module.css";
import { bareName } from "./slashMatches";

/** Explains the node, from the node. */
export function HelpBadge() {
  const { slashCommands } = useServer();
  return (
    <Floating
      label="About this chat"
      align="end"
      className={styles.panel}
      trigger={
        <IconButton small label="About this chat" className="nodrag">
          <CircleHelp size={15} />
        </IconButton>
      }
    >
      <p>
        One conversation with one model. It goes on while you look elsewhere, and after this page is closed; only Stop
        ends a reply.
      </p>
      <dl className={styles.keys}>
        <div>
          <dt>
            <kbd>Enter</kbd>
          </dt>
          <dd>send</dd>
        </div>
        <div>
          <dt>
            <kbd>Shift</kbd> <kbd>Enter</kbd>
          </dt>
          <dd>new line</dd>
        </div>
        {slashCommands.map((command) => (
          <div key={command.name}>
            <dt>
              <code>/{bareName(command)}</code>
            </dt>
            <dd>{command.about}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.more}>
        Drag the chat by its header, resize it at its edges, double click its title to rename it.
      </p>
    </Floating>
  );
}
