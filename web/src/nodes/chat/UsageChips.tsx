import { useTotals } from "../../mirror/hooks";
import { TEST_IDS } from "../../testIds";
import { fullCount, shortCount } from "../../ui/numbers";
import type { NodeId } from "../../wire/generated";
import styles from "./UsageChips.module.css";

/** What a chat used and cost so far, in the server's figures; and how full the model's context is. */
export function UsageChips({ node }: { readonly node: NodeId }) {
  const totals = useTotals(node);
  if (!totals) return null;
  const { inputTokens, outputTokens, tokensEstimated = false, contextTokens = 0, contextLimit } = totals;
  const about = tokensEstimated ? "~" : "";
  return (
    <>
      <span
        className={styles.chip}
        data-testid={TEST_IDS.tokens}
        title={`${fullCount(inputTokens)} tokens in, ${fullCount(outputTokens)} out${tokensEstimated ? ", partly estimated" : ""}`}
      >
        {about}
        {shortCount(inputTokens + outputTokens)}
        <span className={styles.unit}> tokens</span>
      </span>
      <span className={styles.chip} data-testid={TEST_IDS.cost} title={`Cost of this chat: ${totals.label}`}>
        {totals.label}
      </span>
      {contextLimit ? <ContextMeter used={contextTokens} limit={contextLimit} /> : null}
    </>
  );
}

const RADIUS = 6;
const ROUND = 2 * Math.PI * RADIUS;

function ContextMeter({ used, limit }: { readonly used: number; readonly limit: number }) {
  const share = Math.min(1, used / limit);
  const words = `Context: ${fullCount(used)} of ${fullCount(limit)} tokens (${Math.round(share * 100)} %)`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: the browser's own meter cannot be a ring.
    <span
      role="meter"
      aria-label="Context used"
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={Math.min(used, limit)}
      aria-valuetext={words}
      title={words}
      className={styles.meter}
      data-full={share > 0.95 ? "full" : share > 0.8 ? "nearly" : "no"}
      data-testid={TEST_IDS.contextMeter}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <circle cx="8" cy="8" r={RADIUS} className={styles.track} />
        <circle
          cx="8"
          cy="8"
          r={RADIUS}
          className={styles.arc}
          strokeDasharray={`${share * ROUND} ${ROUND}`}
          transform="rotate(-90 8 8)"
        />
      </svg>
    </span>
  );
}
