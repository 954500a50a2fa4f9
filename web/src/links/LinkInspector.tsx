import { ArrowRight, Pin, Play, Trash2 } from "lucide-react";
import { Popover } from "radix-ui";
import { useEdges, useNode } from "../mirror/hooks";
import { useChanges } from "../mirror/useChanges";
import { TEST_IDS } from "../testIds";
import { Button } from "../ui/Button";
import floating from "../ui/Floating.module.css";
import { names } from "../ui/names";
import { useCommand } from "../useCommand";
import type { Command, EdgeId, EdgeRecord, LinkBehavior } from "../wire/generated";
import { BehaviorFields, LinkName } from "./BehaviorFields";
import { ChainHint } from "./ChainHint";
import { LinkDiff } from "./LinkDiff";
import styles from "./LinkInspector.module.css";
import { nodeName, permission, STATE_WORDS } from "./linkWords";
import { useLinkMemory, useLinkStatus } from "./useLink";

export interface LinkPlace {
  readonly edge: EdgeId;
  /** Where it was clicked, in page pixels. */
  readonly point: { readonly x: number; readonly y: number };
}

/** What a link is and does, beside it (L1). */
export function LinkInspector({ place, onClose }: { readonly place: LinkPlace | null; readonly onClose: () => void }) {
  const edge = useEdges().find((each) => each.id === place?.edge);
  if (!place || !edge) return null;
  return (
    <Popover.Root open onOpenChange={(open) => !open && onClose()}>
      <Popover.Anchor
        style={{
          position: "fixed",
          left: `min(${place.point.x}px, 100vw - 16px)`,
          top: `min(${place.point.y}px, 100vh - 16px)`,
        }}
      />
      <Popover.Portal>
        <Popover.Content
          aria-label="Link"
          side="bottom"
          sideOffset={8}
          collisionPadding={8}
          data-testid={TEST_IDS.linkInspector}
          className={names(floating.content, styles.panel, "nokey nodrag nopan nowheel")}
        >
          {edge.kind === "lineage" ? <Lineage edge={edge} /> : <Link key={edge.id} edge={edge} onClose={onClose} />}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Ends({ edge }: { readonly edge: EdgeRecord }) {
  const [source, target] = [useNode(edge.source), useNode(edge.target)];
  return (
    <h2 className={styles.ends}>
      <span>{nodeName(source)}</span>
      <ArrowRight size={14} aria-label="to" />
      <span>{nodeName(target)}</span>
    </h2>
  );
}

function Lineage({ edge }: { readonly edge: EdgeRecord }) {
  return (
    <>
      <Ends edge={edge} />
      <p className={styles.hint}>The chat went on from there. Nothing flows along this line.</p>
    </>
  );
}

const NOTHING: LinkBehavior = { kind: "injectContext" };

function Link({ edge, onClose }: { readonly edge: EdgeRecord; readonly onClose: () => void }) {
  const status = useLinkStatus(edge.id);
  const memory = useLinkMemory(edge.id);
  const source = useNode(edge.source);
  const { busy, problem, run } = useCommand();
  const edit = (fields: Omit<Extract<Command, { do: "editLink" }>, "do" | "edge">) =>
    run({ do: "editLink", edge: edge.id, ...fields });
  const [behavior, change] = useChanges(edge.behavior ?? NOTHING, (next) => edit({ behavior: next }));
  const asks = behavior.kind === "writeFile" && memory?.allowed !== permission(behavior);
  const canRun = status !== undefined && status.state !== "empty" && !edge.pinned;
  const stale = status?.state === "changed" && status.digest !== memory?.digest;
  const word = stale ? "Update" : asks ? "Allow and run" : "Run now";
  return (
    <>
      <Ends edge={edge} />
      <LinkName title={edge.title ?? ""} onChange={(title) => void edit({ title })} />
      <BehaviorFields
        edge={edge.id}
        behavior={behavior}
        ofChat={source?.data.kind === "chat" || source?.data.kind === "group"}
        onChange={(changed) => change(() => changed)}
      />
      <label className={styles.switch}>
        <input
          type="checkbox"
          checked={edge.automatic ?? false}
          onChange={(event) => void edit({ automatic: event.target.checked })}
        />
        <span>
          Run by itself when the source is quiet
          <ChainHint edge={edge} />
        </span>
      </label>
      {asks && (
        <p className={styles.hint}>
          Running it allows this link to {behavior.mode === "overwrite" ? "overwrite" : "add to"}{" "}
          <code>{behavior.path || "a file"}</code> from now on.
        </p>
      )}
      <div className={styles.state} data-state={status?.state} role="status">
        <p>
          {status?.summary === "missing" ? "There is nothing to deliver yet." : STATE_WORDS[status?.state ?? "empty"]}
          {memory?.ranAt ? ` Last run ${new Date(memory.ranAt).toLocaleString()}` : ""}
          {memory?.outcome ? `: ${memory.outcome}.` : memory?.ranAt ? "." : ""}
        </p>
        {memory?.error && <p className={styles.error}>{memory.error}</p>}
        {problem && <p className={styles.error}>{problem}</p>}
      </div>
      {stale && <LinkDiff edge={edge.id} digest={status.digest ?? ""} />}
      <div className={styles.buttons}>
        <Button
          look="primary"
          size="small"
          disabled={busy || !canRun}
          data-testid={TEST_IDS.linkRun}
          onClick={() => void run({ do: "runLink", edge: edge.id, ...(asks && { allow: permission(behavior) }) })}
        >
          <Play size={13} />
          {word}
        </Button>
        <Button
          size="small"
          aria-pressed={edge.pinned ?? false}
          disabled={busy}
          title="Keep what it delivered, whatever becomes of the source"
          onClick={() => void edit({ pinned: !edge.pinned })}
        >
          <Pin size={13} />
          {edge.pinned ? "Unpin" : "Pin"}
        </Button>
        <span className={styles.spacer} />
        <Button
          size="small"
          look="danger"
          data-testid={TEST_IDS.linkDelete}
          onClick={() => void run({ do: "removeEdges", edges: [edge.id] }).then((done) => done && onClose())}
        >
          <Trash2 size={13} />
          Delete
        </Button>
      </div>
    </>
  );
}
