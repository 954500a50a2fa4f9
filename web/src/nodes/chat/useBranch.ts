import { useTalkfield } from "../../Talkfield";
import type { MessageId, NodeId } from "../../wire/generated";

/** Goes on from a message in a new chat, with `quote` in its composer to ask about, and shows it (L4). */
export function useBranch(): (message: MessageId, quote?: string) => Promise<void> {
  const { ask, mirror, spotlight } = useTalkfield();
  return async (message, quote) => {
    const show = spotlight.later();
    const ack = await ask({ do: "branchChat", message, ...(quote && { quote }) });
    const [made] = ack?.made ?? [];
    if (!ack || !made) return;
    await mirror.whenApplied(ack.seq);
    show(made as NodeId);
  };
}
