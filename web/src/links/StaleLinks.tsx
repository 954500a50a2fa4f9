import { Link2, RefreshCw } from "lucide-react";
import { useNode } from "../mirror/hooks";
import { useTalkfield } from "../Talkfield";
import { TEST_IDS } from "../testIds";
import { Button } from "../ui/Button";
import type { EdgeRecord, NodeId } from "../wire/generated";
import { nodeName } from "./linkWords";
import styles from "./StaleLinks.module.css";
import { useChangedLinks, useLinkMemory, useLinkStatus } from "./useLink";

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
  const toSummarize = useLinkStatus(link.id)?.summary === "changed";
  const summary = useLinkMemory(link.id)?.summary;
  const asked = { provider: summary?.provider ?? null, model: summary?.model || null };
  return (
    <li className={styles.item} data-testid={TEST_IDS.staleLink}>
      <Link2 size={13} />
      <span className={styles.text}>{nodeName(source)} has changed</span>
      <Button
        size="small"
        onClick={() =>
          void ask(toSummarize ? { do: "summarizeLink", edge: link.id, ...asked } : { do: "runLink", edge: link.id })
        }
      >
        <RefreshCw size={12} />
        {toSummarize ? "Summarise anew" : "Update"}
      </Button>
    </li>
  );
}
