import { standsOn } from "../canvas/groups";
import { useEdges, useNodes, useProviders, useSettings } from "../mirror/hooks";
import { chatModel } from "../nodes/chat/chatModel";
import type { EdgeRecord, NodeId } from "../wire/generated";
import { chainCost, chainWords } from "./chainCost";
import styles from "./LinkInspector.module.css";
import { useLinkStatuses } from "./useLink";

/** What an automatic link is likely to cost, told before it is switched on (L3). */
export function ChainHint({ edge }: { readonly edge: EdgeRecord }) {
  const [edges, nodes, statuses] = [useEdges(), useNodes(), useLinkStatuses()];
  const [providers, settings] = [useProviders(), useSettings()];
  const priceOf = (chat: NodeId) => {
    const data = nodes.find((node) => node.id === chat)?.data;
    if (data?.kind !== "chat") return null;
    const { provider, model } = chatModel(data, settings, providers);
    const price = provider?.models?.find((each) => each.id === model)?.inputUsd;
    return price == null ? null : Number(price);
  };
  const groupsOf = (id: NodeId) => {
    const own = nodes.find((node) => node.id === id);
    return nodes.flatMap((group) => (own && group.data.kind === "group" && standsOn(own, group) ? [group.id] : []));
  };
  return <span className={styles.hint}>{chainWords(chainCost(edge, { edges, statuses, groupsOf, priceOf }))}</span>;
}
