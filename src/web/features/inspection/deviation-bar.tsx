import { type Limited, placeOnBar } from '#web/ui/limits.ts';
import classes from './inspection.module.css';

const percent = (share: number): string => `${(100 * share).toFixed(2)}%`;

/**
 * Shows the measured value between its limits, with its uncertainty interval. Hidden from screen readers, because the
 * numbers are beside it.
 */
export function DeviationBar({ limited, verdict }: { limited: Limited; verdict: string }) {
  const place = placeOnBar(limited);
  if (place === null) return null;
  const { at, interval, lower, upper } = place;
  const [from, to] = [lower ?? 0, upper ?? 1];
  const start = lower !== null && upper !== null ? (lower + upper) / 2 : lower === null ? 0 : 1;
  const [left, right] = [Math.min(start, at), Math.max(start, at)];
  return (
    <div className={classes.bar} aria-hidden>
      <span className={classes.allowed} style={{ left: percent(from), width: percent(to - from) }} />
      {place.lower !== null && <span className={classes.limit} style={{ left: percent(place.lower) }} />}
      {place.upper !== null && <span className={classes.limit} style={{ left: percent(place.upper) }} />}
      <span
        className={classes.value}
        data-verdict={verdict}
        style={{ left: percent(left), width: percent(right - left) }}
      />
      <span
        className={classes.interval}
        data-verdict={verdict}
        style={{ left: percent(interval[0]), width: percent(interval[1] - interval[0]) }}
      />
      <span className={classes.mark} data-verdict={verdict} style={{ left: percent(at) }} />
    </div>
  );
}
