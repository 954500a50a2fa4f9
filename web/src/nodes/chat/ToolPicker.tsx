import { Wrench } from "lucide-react";
import { useNode, useProjects, useServer, useToolServers } from "../../mirror/hooks";
import { useChanges } from "../../mirror/useChanges";
import { useOpenSettings } from "../../panels/openSettings";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Button } from "../../ui/Button";
import { Floating } from "../../ui/Floating";
import type { NodeId } from "../../wire/generated";
import styles from "./ToolPicker.module.css";
import { countOn, switched, type ToolGroup, toolGroups } from "./toolSwitches";

const NONE_OFF: readonly string[] = [];

/** Which tools this chat is told of: all there are, but for those that are switched off here (T10). */
export function ToolPicker({ node }: { readonly node: NodeId }) {
  const { ask } = useTalkfield();
  const openSettings = useOpenSettings();
  const data = useNode(node)?.data;
  const projects = useProjects();
  const { project, projectTools } = useServer();
  const hasFolder = Boolean(projects.find((each) => each.project === project)?.folder);
  const groups = toolGroups(projectTools, hasFolder, useToolServers());
  const [off, change] = useChanges((data?.kind === "chat" && data.toolsOff) || NONE_OFF, (next) =>
    ask({ do: "switchTools", node, off: next }),
  );
  if (data?.kind !== "chat" || groups.length === 0) return null;
  const { on, all } = countOn(groups, off);
  const flip = (name: string, wanted: boolean) => change((before) => switched(before, name, wanted));
  return (
    <Floating
      label="Tools of this chat"
      className={styles.panel}
      trigger={
        <button
          type="button"
          className={styles.trigger}
          aria-label={`Tools: ${on} of ${all} on`}
          title={`Tools: ${on} of ${all} on`}
          data-testid={TEST_IDS.toolPicker}
        >
          <Wrench size={13} />
          {on === all ? all : `${on}/${all}`}
        </button>
      }
    >
      <h2 className={styles.heading}>Tools of this chat</h2>
      {groups.map((group) => (
        <Group key={group.source ?? ""} group={group} off={off} onFlip={flip} />
      ))}
      <Button size="small" look="quiet" onClick={() => openSettings("tools")}>
        Servers and tools…
      </Button>
    </Floating>
  );
}

interface GroupProps {
  readonly group: ToolGroup;
  readonly off: readonly string[];
  readonly onFlip: (name: string, on: boolean) => void;
}

function Group({ group, off, onFlip }: GroupProps) {
  const { source, title, detail, tools } = group;
  const sourceOff = source !== null && off.includes(source);
  return (
    <fieldset className={styles.group}>
      <legend>
        {source === null ? (
          title
        ) : (
          <Switch name={source} words={title} on={!sourceOff} disabled={false} onFlip={onFlip} />
        )}
        {detail && <span className={styles.detail}>{detail}</span>}
      </legend>
      {tools.map((tool) => (
        <Switch
          key={tool}
          name={tool}
          words={source && tool.startsWith(`${source}__`) ? tool.slice(source.length + 2) : tool}
          on={!sourceOff && !off.includes(tool)}
          disabled={sourceOff}
          onFlip={onFlip}
        />
      ))}
    </fieldset>
  );
}

interface SwitchProps {
  readonly name: string;
  readonly words: string;
  readonly on: boolean;
  readonly disabled: boolean;
  readonly onFlip: (name: string, on: boolean) => void;
}

function Switch({ name, words, on, disabled, onFlip }: SwitchProps) {
  return (
    <label className={styles.switch}>
      <input
        type="checkbox"
        checked={on}
        disabled={disabled}
        data-testid={TEST_IDS.toolSwitch}
        data-name={name}
        onChange={(event) => onFlip(name, event.target.checked)}
      />
      <span>{words}</span>
    </label>
  );
}
