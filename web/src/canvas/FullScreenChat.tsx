import { Minimize2 } from "lucide-react";
import { useEffect, useRef } from "react";
import { flushSync } from "react-dom";
import { useNode } from "../mirror/hooks";
import { ChatView } from "../nodes/chat/ChatView";
import { useTalkfield } from "../Talkfield";
import { TEST_IDS } from "../testIds";
import { IconButton } from "../ui/Button";
import { isPhone } from "../ui/useNarrow";
import type { NodeId } from "../wire/generated";
import styles from "./FullScreenChat.module.css";
import { useFullScreen } from "./useFullScreen";

/** One chat over the whole window; its place on the canvas keeps a card meanwhile. Escape leads back. */
export function FullScreenChat() {
  const { fullScreen, mirror, spotlight } = useTalkfield();
  const shown = useFullScreen();
  const exists = useNode(shown ?? ("" as NodeId)) !== undefined;
  // Somebody closed it, or something else is asked for, by the palette or the inbox: the canvas shows that.
  useEffect(() => {
    if (shown && !exists) fullScreen.leave();
  }, [shown, exists, fullScreen]);
  // On a phone that is where a chat is read.
  useEffect(
    () =>
      spotlight.subscribe((node) => {
        if (isPhone() && mirror.node(node)?.data.kind === "chat") fullScreen.show(node);
        else fullScreen.leave();
      }),
    [spotlight, fullScreen, mirror],
  );
  if (!shown || !exists) return null;
  return <Window key={shown} node={shown} />;
}

function Window({ node }: { readonly node: NodeId }) {
  const { fullScreen, spotlight } = useTalkfield();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useNode(node)?.title || "New chat";
  useEffect(() => {
    const element = dialog.current;
    if (element && !element.open) element.showModal();
    element?.querySelector<HTMLElement>("textarea[data-composer]")?.focus({ preventScroll: true });
    return () => element?.close();
  }, []);
  const leave = () => {
    // First the window goes, which gives the focus back: then the chat on the canvas can have it.
    flushSync(() => fullScreen.leave());
    if (!isPhone()) spotlight.show(node);
  };
  return (
    <dialog
      ref={dialog}
      aria-label={`Chat: ${title}`}
      data-testid={TEST_IDS.fullScreen}
      className={styles.window}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
    >
      <div className={styles.chat}>
        <ChatView key={node} node={node} />
      </div>
      <IconButton
        label="Back to the canvas"
        title="Back to the canvas (Escape)"
        className={styles.leave}
        data-testid={TEST_IDS.leaveFullScreen}
        onClick={leave}
      >
        <Minimize2 size={16} />
      </IconButton>
    </dialog>
  );
}
