import { ChevronsDown } from "lucide-react";
import type { MouseEvent } from "react";
import { TEST_IDS } from "../../testIds";
import styles from "./ShowRest.module.css";
import { stayHere } from "./useFollowScroll";

interface ShowRestProps {
  /** How much is folded away, such as "12 more lines". */
  readonly what: string;
  readonly onShow: () => void;
}

/** Under what is folded: how much that is, and a way to see it. */
export function ShowRest({ what, onShow }: ShowRestProps) {
  const show = (event: MouseEvent) => {
    stayHere(event.currentTarget);
    onShow();
  };
  return (
    <button type="button" className={styles.rest} data-testid={TEST_IDS.showRest} onClick={show}>
      <ChevronsDown size={13} />
      Show {what}
    </button>
  );
}
