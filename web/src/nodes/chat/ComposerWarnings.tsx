import { useNode, useTotals } from "../../mirror/hooks";
import { TEST_IDS } from "../../testIds";
import { fullCount } from "../../ui/numbers";
import type { NodeId } from "../../wire/generated";
import styles from "./Composer.module.css";
import type { ComposerState } from "./drafts";
import { filesNotTaken } from "./fileKinds";
import { sendEstimate } from "./sendEstimate";
import { useModelOf } from "./useModelOf";

interface ComposerWarningsProps {
  readonly node: NodeId;
  readonly draft: ComposerState;
}

/** What a person should know before sending: files that would not reach the model, and more than it can take in. */
export function ComposerWarnings({ node, draft }: ComposerWarningsProps) {
  const { provider, info } = useModelOf(node);
  const data = useNode(node)?.data;
  const totals = useTotals(node);
  const notTaken = filesNotTaken(draft.files, provider, info);
  const limit = info?.contextTokens ?? totals?.contextLimit;
  const system = data?.kind === "chat" ? (data.system ?? "") : "";
  const empty = draft.text === "" && draft.files.length === 0;
  const tokens = limit && !empty ? sendEstimate({ ...draft, system }, totals, info).tokens : 0;
  return (
    <>
      {notTaken && (
        <p role="status" className={styles.warning} data-testid={TEST_IDS.notTaken}>
          {notTaken}
        </p>
      )}
      {limit && tokens > limit ? (
        <p role="status" className={styles.warning} data-testid={TEST_IDS.tooLong}>
          About {fullCount(tokens)} tokens: the model can take in {fullCount(limit)}. Branch from an earlier message, or
          delete what is not needed.
        </p>
      ) : null}
    </>
  );
}
