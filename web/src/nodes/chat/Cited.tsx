import { type ReactNode, useMemo } from "react";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { CitationContext, type DrawCitation } from "../../ui/markdown/contexts";
import type { MessageRecord } from "../../wire/generated";
import styles from "./Citations.module.css";
import { numberedParts } from "./citations";
import { useOrigin } from "./useOrigin";

interface CitedProps {
  readonly message: MessageRecord;
  readonly children: ReactNode;
}

/** In a chat that was given numbered parts, a number in brackets leads to where its part was said (L4). */
export function Cited({ message: { id, nodeId }, children }: CitedProps) {
  const { mirror } = useTalkfield();
  // What a merge was given stands in its chat from the start: looked for once, not with each word of the reply.
  const cite = useMemo((): DrawCitation | null => {
    const ids = mirror.messageIds(nodeId);
    const earlier = ids.slice(0, Math.max(0, ids.indexOf(id))).flatMap((each) => mirror.message(each) ?? []);
    const parts = numberedParts(earlier);
    if (parts.size === 0) return null;
    return (number, words) => {
      const given = parts.get(number);
      return given ? <CitedNumber given={given} words={words} /> : null;
    };
  }, [mirror, id, nodeId]);
  return <CitationContext value={cite}>{children}</CitationContext>;
}

function CitedNumber({ given, words }: { readonly given: MessageRecord; readonly words: string }) {
  const { name, isThere, show } = useOrigin(given);
  return (
    <button
      type="button"
      className={styles.number}
      title={`${name}: ${given.content.slice(0, 600)}`}
      aria-label={`${words}, from ${name}`}
      disabled={!isThere}
      data-testid={TEST_IDS.citedNumber}
      onClick={show}
    >
      {words}
    </button>
  );
}
