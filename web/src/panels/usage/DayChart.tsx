import styles from "./UsageDialog.module.css";
import { costWords, type Sum } from "./usageSums";

const HEIGHT = 120;
const STEP = 10;

/** A bar for each day: as high as its cost, or as its tokens where nothing has a price. */
export function DayChart({ days }: { readonly days: readonly Sum[] }) {
  const priced = days.some((day) => day.usd > 0);
  const value = (day: Sum) => (priced ? day.usd : day.tokens);
  const most = Math.max(...days.map(value), 0);
  const [first, last] = [days[0]?.name ?? "", days.at(-1)?.name ?? ""];
  const dearest = days.find((day) => value(day) === most);
  const label =
    most === 0 || !dearest
      ? `Nothing was used from ${first} to ${last}.`
      : `${priced ? "Cost" : "Tokens"} per day from ${first} to ${last}; the most on ${dearest.name}: ${
          priced ? costWords(dearest) : dearest.tokens.toLocaleString()
        }.`;
  return (
    <figure className={styles.chart}>
      <svg
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        className={styles.bars}
      >
        {days.map((day, index) => {
          const height = most === 0 ? 0 : (value(day) / most) * (HEIGHT - 4);
          return (
            <rect key={day.name} x={index * STEP + 1} y={HEIGHT - height} width={STEP - 2} height={height} rx={1}>
              <title>{`${day.name}: ${costWords(day)}, ${day.tokens.toLocaleString()} tokens`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className={styles.axis}>
        <span>{first}</span>
        <span>{most === 0 ? "Nothing was used" : priced ? "Cost per day" : "Tokens per day"}</span>
        <span>{last}</span>
      </figcaption>
    </figure>
  );
}
