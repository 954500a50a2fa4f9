import { ArrowDown } from "lucide-react";
import { useRef } from "react";
import { useTranscript } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { names } from "../../ui/names";
import type { NodeId } from "../../wire/generated";
import { AskInBranch } from "./AskInBranch";
import { EmptyChat } from "./EmptyChat";
import styles from "./MessageList.module.css";
import { MessageView } from "./MessageView";
import { SystemPrompt } from "./SystemPrompt";
import { useDrawnMessages } from "./useDrawnMessages";
import { useFollowScroll } from "./useFollowScroll";
import { useMessageFlight } from "./useMessageFlight";

/** A chat's transcript. It renders when messages come or go; a growing one renders itself. */
export function MessageList({ node }: { readonly node: NodeId }) {
  const { mirror, scrollPlaces } = useTalkfield();
  const ids = useTranscript(node);
  const before = scrollPlaces.get(node);
  const drawnCount = useRef(before?.following === false ? before.drawn : undefined);
  const scroll = useFollowScroll(before, (place) => scrollPlaces.set(node, { ...place, drawn: drawnCount.current }));
  const drawn = useDrawnMessages(ids, drawnCount.current, scroll.following, scroll.scrollRef);
  const { first } = drawn;
  drawnCount.current = ids.length - first;

  useMessageFlight(node, ids, drawn.setCount, scroll.scrollRef);

  const onScroll = () => {
    scroll.onScroll();
    drawn.onScroll();
  };
  // What a link has added since asks for nothing and takes nothing away from the reply before it.
  const last = ids.findLastIndex((id) => !mirror.message(id)?.source);

  return (
    <div className={styles.frame}>
      <section
        ref={scroll.scrollRef}
        className={names(styles.scroll, "nowheel nodrag nopan")}
        aria-label="Conversation"
        data-card-list=""
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        onScroll={onScroll}
      >
        <div ref={scroll.contentRef} className={styles.content}>
          <SystemPrompt node={node} />
          {first > 0 && (
            <button type="button" className={styles.earlier} onClick={drawn.showEarlier}>
              Show earlier messages ({first})
            </button>
          )}
          {ids.length === 0 && <EmptyChat node={node} />}
          {ids.slice(first).map((id, index, visible) => {
            const next = visible[index + 1];
            const turn = mirror.message(id)?.turn;
            const following = next ? mirror.message(next) : undefined;
            const goesOn = following?.role === "assistant" && Boolean(turn) && following.turn === turn;
            return <MessageView key={id} id={id} isLast={first + index === last} goesOn={goesOn} />;
          })}
        </div>
      </section>
      <AskInBranch list={scroll.scrollRef} />
      {!scroll.following && (
        <button type="button" className={styles.latest} data-testid={TEST_IDS.latest} onClick={scroll.toLatest}>
          <ArrowDown size={14} />
          Latest
        </button>
      )}
    </div>
  );
}
