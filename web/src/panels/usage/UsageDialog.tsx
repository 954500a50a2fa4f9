import { useEffect, useMemo, useState } from "react";
import { useMirror, useNodes, useProjects, useProviders } from "../../mirror/hooks";
import { useTalkfield } from "../../Talkfield";
import { TEST_IDS } from "../../testIds";
import { Dialog } from "../../ui/Dialog";
import { SelectField } from "../../ui/Field";
import { wordsFor } from "../../wire/commands";
import type { UsageRow, UsageTable } from "../../wire/generated";
import { DayChart } from "./DayChart";
import { LimitList } from "./LimitList";
import styles from "./UsageDialog.module.css";
import { costWords, daysFrom, type Grouping, type Sum, sumsBy } from "./usageSums";

const SPANS = [7, 30, 90, 365] as const;

/** What was used and what it cost (U12): of all projects by day, model, provider or project; of this one by chat. */
export function UsageDialog({ onClose }: { readonly onClose: () => void }) {
  const { http } = useTalkfield();
  const [days, setDays] = useState(30);
  const [grouping, setGrouping] = useState<Grouping | "chat">("model");
  const [table, setTable] = useState<UsageTable | null>(null);
  const [problem, setProblem] = useState("");
  const nameOf = useNames(grouping);
  const chats = useChatSums();
  useEffect(() => {
    const control = new AbortController();
    http.usage(days, Intl.DateTimeFormat().resolvedOptions().timeZone, control.signal).then(
      (found) => {
        setTable(found);
        setProblem("");
      },
      (error: unknown) => {
        if (!control.signal.aborted) setProblem(wordsFor(error));
      },
    );
    return () => control.abort();
  }, [http, days]);
  const rows = table?.rows ?? [];
  const [total] = sumsBy(rows, () => "Total");
  const sums = grouping === "chat" ? chats : sumsBy(rows, nameOf);
  return (
    <Dialog title="Usage" onClose={onClose} testId={TEST_IDS.usage}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className={styles.panel} aria-label="Usage" tabIndex={0}>
        {problem && (
          <p role="alert" className={styles.problem}>
            {problem}
          </p>
        )}
        <div className={styles.top}>
          <p className={styles.total} data-testid={TEST_IDS.usageTotal}>
            <strong>{total ? costWords(total) : "$0"}</strong>
            <span>
              {(total?.tokens ?? 0).toLocaleString()} tokens in{" "}
              {total?.calls === 1 ? "1 call" : `${(total?.calls ?? 0).toLocaleString()} calls`}, all projects
            </span>
          </p>
          <SelectField label="Time" value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {SPANS.map((span) => (
              <option key={span} value={span}>
                Last {span} days
              </option>
            ))}
          </SelectField>
        </div>
        {table && <DayChart days={daysFrom(table.since, table.until, rows)} />}
        <SelectField
          label="Sums by"
          value={grouping}
          onChange={(event) => setGrouping(event.target.value as Grouping | "chat")}
        >
          <option value="model">Model</option>
          <option value="provider">Provider</option>
          <option value="project">Project</option>
          <option value="chat">Chat of this project, ever</option>
        </SelectField>
        <SumTable sums={sums} />
        <LimitList onClose={onClose} />
      </section>
    </Dialog>
  );
}

function SumTable({ sums }: { readonly sums: readonly Sum[] }) {
  const most = Math.max(...sums.map((sum) => sum.usd), 0);
  if (sums.length === 0) return <p className={styles.none}>Nothing was used.</p>;
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Calls</th>
          <th scope="col">Tokens</th>
          <th scope="col">Cost</th>
        </tr>
      </thead>
      <tbody>
        {sums.map((sum) => (
          <tr key={sum.name} data-testid={TEST_IDS.usageRow}>
            <th scope="row">
              {sum.name}
              <meter className={styles.bar} aria-hidden="true" min={0} max={most || 1} value={sum.usd} />
            </th>
            <td>{sum.calls.toLocaleString()}</td>
            <td>{sum.tokens.toLocaleString()}</td>
            <td>{costWords(sum)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function useNames(grouping: Grouping | "chat"): (row: UsageRow) => string {
  const projects = useProjects();
  const providers = useProviders();
  return useMemo(() => {
    const titles = new Map<string, string>(projects.map((each) => [each.project, each.title]));
    const names = new Map<string, string>(providers.map((each) => [each.provider, each.name]));
    if (grouping === "project") return (row) => titles.get(row.project) ?? "A project that is gone";
    if (grouping === "provider") return (row) => names.get(row.provider) ?? (row.provider || "Unknown provider");
    return (row) => row.model || "Unknown model";
  }, [projects, providers, grouping]);
}

/** From the totals that stand in the chats' headers; a chat that is gone is in none of them. */
function useChatSums(): readonly Sum[] {
  const nodes = useNodes();
  const { mirror } = useTalkfield();
  useMirror("history", (each) => each.history());
  return nodes
    .flatMap((node) => {
      const totals = mirror.totals(node.id);
      if (!totals || node.data.kind !== "chat") return [];
      const calls = mirror.messageIds(node.id).filter((id) => mirror.message(id)?.usage).length;
      const tokens = totals.inputTokens + totals.outputTokens;
      const name = node.title || "New chat";
      return [{ name, usd: Number(totals.usd), tokens, calls, unpriced: totals.unpriced ?? 0 }];
    })
    .sort((left, right) => right.usd - left.usd || right.tokens - left.tokens);
}
