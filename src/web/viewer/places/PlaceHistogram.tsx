import { type PointerEvent, useMemo, useState } from 'react';
import { formatCount } from '#contract/base/format-number.ts';
import {
  countPlaces,
  filterRows,
  type PlaceColumn,
  type PlaceLimits,
  type PlaceTable,
} from '../data/place-table.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import styles from './places.module.css';
import { showValue } from './show-value.ts';

const [width, height] = [260, 64];

interface PlaceHistogramProps {
  model: ViewerModel;
  table: PlaceTable;
  column: PlaceColumn;
  isLog: boolean;
  limits: PlaceLimits | undefined;
  onLimit: (min: number | null, max: number | null) => void;
}

/** Places by size class, those that are left over all of them. A drag across it is a range, a click one class. */
export function PlaceHistogram({ model, table, column, isLog, limits, onLimit }: PlaceHistogramProps) {
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const rows = model.places.rows();
  const all = useMemo(() => filterRows(table, []), [table]);
  const whole = useMemo(() => countPlaces(column, all, all, isLog), [column, all, isLog]);
  const left = useMemo(() => countPlaces(column, rows, all, isLog), [column, rows, all, isLog]);
  if (!whole || !left) return <p className={styles['notice']}>No values.</p>;
  const { edges, counts } = whole;
  const steps = counts.length;
  const edgeAt = (step: number) => edges[step] ?? Number.NaN;
  const most = Math.max(...counts);
  // Small classes stay to be seen beside large ones.
  const tall = (count: number) =>
    count === 0 ? 0 : Math.max(1.5, (height * Math.sqrt(count)) / Math.sqrt(most));
  const say = (value: number) => showValue(column, value);
  const placeOf = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.min(steps - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * steps)));
  };
  const [low, high] = drag
    ? [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to) + 1]
    : [
        edges.findIndex((edge) => edge >= (limits?.min ?? -Infinity)),
        edges.findLastIndex((edge) => edge <= (limits?.max ?? Infinity)),
      ];
  const isBrushed = drag !== null || limits !== undefined;
  const finish = () => {
    // The outermost classes reach as far as there is anything.
    const shorten = (edge: number) => Number(edge.toPrecision(6));
    if (drag) onLimit(low === 0 ? null : shorten(edgeAt(low)), high === steps ? null : shorten(edgeAt(high)));
    setDrag(null);
  };
  return (
    <div>
      <svg
        className={styles['histogram']}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${column.title} from ${say(edgeAt(0))} to ${say(edgeAt(steps))}; the limits below narrow the places`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: placeOf(event), to: placeOf(event) });
        }}
        onPointerMove={(event) => drag && setDrag({ ...drag, to: placeOf(event) })}
        onPointerUp={finish}
        onPointerCancel={() => setDrag(null)}
      >
        {isBrushed && high > low && (
          <rect
            className={styles['brush']}
            x={(width * low) / steps}
            width={(width * (high - low)) / steps}
            height={height}
          />
        )}
        {counts.map((count, i) => {
          const [x, bar] = [(width * i) / steps + 0.5, width / steps - 1];
          const shown = left.counts[i] ?? 0;
          return (
            <g key={edges[i]}>
              <title>{`${say(edgeAt(i))} to ${say(edgeAt(i + 1))}: ${formatCount(count)}, of them shown ${formatCount(shown)}`}</title>
              <rect x={x} width={bar} height={height} opacity={0} />
              <rect
                className={styles['all']}
                x={x}
                width={bar}
                y={height - tall(count)}
                height={tall(count)}
              />
              <rect
                className={styles['left']}
                x={x}
                width={bar}
                y={height - tall(shown)}
                height={tall(shown)}
              />
            </g>
          );
        })}
      </svg>
      <div className={styles['ticks']}>
        <span>{say(edgeAt(0))}</span>
        <span>{say(edgeAt(steps / 2))}</span>
        <span>{say(edgeAt(steps))}</span>
      </div>
    </div>
  );
}
