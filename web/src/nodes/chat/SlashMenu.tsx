import { TEST_IDS } from "../../testIds";
import { names } from "../../ui/names";
import type { SlashCommandInfo } from "../../wire/generated";
import styles from "./SlashMenu.module.css";
import { bareName } from "./slashMatches";

interface SlashMenuProps {
  readonly id: string;
  readonly commands: readonly SlashCommandInfo[];
  readonly active: number;
  readonly onChoose: (command: SlashCommandInfo) => void;
  readonly onPoint: (index: number) => void;
}

/** The commands that fit what is typed. The composer keeps the focus and moves `active`. */
export function SlashMenu({ id, commands, active, onChoose, onPoint }: SlashMenuProps) {
  return (
    <div id={id} role="listbox" aria-label="Commands" className={styles.menu} data-testid={TEST_IDS.slashMenu}>
      {commands.map((command, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the composer's, which keeps the focus.
        // biome-ignore lint/a11y/useFocusableInteractive: the composer keeps the focus and names the active option.
        <div
          key={command.name}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          className={names(styles.item, index === active && styles.active)}
          onMouseDown={(event) => event.preventDefault()}
          onMouseEnter={() => onPoint(index)}
          onClick={() => onChoose(command)}
        >
          <span className={styles.name}>
            /{bareName(command)} {command.argument && <span className={styles.argument}>{command.argument}</span>}
          </span>
          <span className={styles.about}>{command.about}</span>
        </div>
      ))}
    </div>
  );
}
