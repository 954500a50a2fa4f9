import { Link2, RefreshCw } from "lucide-react";
import { useNode } from "../mirror/hooks";
import { useTalkfield } from "../Talkfield";
import { TEST_IDS } from "../testIds";
import { Button } from "../ui/Button";
import type { EdgeRecord, NodeId } from "../wire/generated";
import { nodeName } from "./linkWords";
import styles from "./StaleLinks.module.css";
import { useChangedLinks } from "./useLink";

/** Above a chat's composer: what it was given has changed where it came from (L3). */
export function StaleLinks({ node }: { readonly node: NodeId }) {
  const links = useChangedLinks(node);
  if (links.length === 0) return null;
  return (
    <ul className={styles.list} aria-label="Context that has changed">
      {links.map((link) => (
        <StaleLink key={link.id} link={link} />
      ))}
    </ul>
  );
}

function StaleLink({ link }: { readonly link: EdgeRecord }) {
  const { ask } = useTalkfield();
  const source = useNode(link.source);
  return (
    <li className={styles.item} data-testid={TEST_IDS.staleLink}>
      <Link2 size={13} />
      <span className={styles.text}>{nodeName(source)} has changed</span>
      <Button size="small" onClick={() => void ask({ do: "runLink", edge: link.id })}>
        <RefreshCw size={12} />
        Update
      </Button>
    </li>
  );
}
