import { useEffect, useState } from "react";
import { useServer } from "../mirror/hooks";
import { DiffView } from "../nodes/chat/DiffView";
import { useTalkfield } from "../Talkfield";
import type { EdgeId } from "../wire/generated";
import styles from "./LinkInspector.module.css";

/** What a link's source says now, against what it delivered; read anew when the source changes (L3). */
export function LinkDiff({ edge, digest }: { readonly edge: EdgeId; readonly digest: string }) {
  const { http } = useTalkfield();
  const { project } = useServer();
  const [diff, setDiff] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: another digest is another diff.
  useEffect(() => {
    if (!project) return;
    const control = new AbortController();
    http.link(project, edge, control.signal).then(
      (detail) => setDiff(detail.diff),
      () => setDiff(""), // a diff is an extra: without one there is still the word that it changed
    );
    return () => control.abort();
  }, [http, project, edge, digest]);
  if (!diff) return null;
  return (
    <details className={styles.diff}>
      <summary>What has changed</summary>
      <DiffView diff={diff} added={count(diff, "+")} removed={count(diff, "-")} />
    </details>
  );
}

function count(diff: string, mark: string): number {
  return diff.split("\n").filter((line) => line.startsWith(mark)).length;
}
