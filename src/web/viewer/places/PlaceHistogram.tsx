import { useCallback, useMemo } from 'react';
import { formatCount } from '#contract/base/format-number.ts';
import { writeCsv } from '#formats/csv/write-csv.ts';
import {
  countPlaces,
  filterRows,
  type PlaceColumn,
  type PlaceLimits,
  type PlaceTable,
} from '#kernels/places/place-table.ts';
import { type DrawPlot, PlotFrame } from '#web/ui/plot-frame.tsx';
import type { ViewerModel } from '../state/viewer-model.ts';
import styles from './places.module.css';
import { plotPlaces } from './plot-places.ts';
import { findUnit, showValue } from './show-value.ts';

/** The table below needs the height. */
const plotPx = 132;

interface PlaceHistogramProps {
  model: ViewerModel;
  table: PlaceTable;
  column: PlaceColumn;
  /** name of the places, plural, lower case */
  noun: string;
  isLog: boolean;
  limits: PlaceLimits | undefined;
  onLimit: (min: number | null, max: number | null) => void;
}

/** Histogram of all places, with the filtered ones in front. Dragging selects a range, a click one class. */
export function PlaceHistogram(props: PlaceHistogramProps) {
  const { model, table, column, noun, isLog, limits, onLimit } = props;
  const rows = model.places.rows();
  const all = useMemo(() => filterRows(table, []), [table]);
  const whole = useMemo(() => countPlaces(column, all, all, isLog), [column, all, isLog]);
  const left = useMemo(() => countPlaces(column, rows, all, isLog), [column, rows, all, isLog]);
  const shown = findUnit(column);
  const title = column.title.toLowerCase();
  const draw: DrawPlot = (host, size, onClass) => {
    const { edges, counts } = whole ?? { edges: [0, 1], counts: [0] };
    const steps = counts.length;
    const brushed = limits && {
      from: edges.findIndex((edge) => edge >= (limits.min ?? -Infinity)),
      to: edges.findLastIndex((edge) => edge <= (limits.max ?? Infinity)),
    };
    // The outermost classes have no outer limit.
    const limitAt = (at: number) =>
      at === 0 || at === steps ? null : Number((edges[at] ?? Number.NaN).toPrecision(6));
    return plotPlaces(
      host,
      {
        ...{ edges, isLog, shown, all: counts, left: left?.counts ?? counts },
        titles: { x: shown.unit ? `${title}, ${shown.unit}` : title, y: noun },
        brushed: brushed && brushed.to > brushed.from && brushed.from >= 0 ? brushed : null,
      },
      size,
      onClass,
      ({ from, to }) => onLimit(limitAt(from), limitAt(to)),
    );
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawing depends on these alone
  const drawn = useCallback(draw, [whole, left, column, isLog, limits?.min, limits?.max, noun]);
  if (!whole || !left) return <p className={styles['notice']}>No values.</p>;
  const { edges, counts } = whole;
  const formatValue = (at: number) => showValue(column, edges[at] ?? Number.NaN);
  return (
    <PlotFrame
      name={`histogram of ${title}`}
      fileName={`${noun}-${title}_histogram`}
      summary={`${column.title} from ${formatValue(0)} to ${formatValue(counts.length)}; the limits below narrow the ${noun}`}
      draw={drawn}
      heightPx={plotPx}
      describe={(at) =>
        `${formatValue(at)} to ${formatValue(at + 1)}: ${formatCount(counts[at] ?? 0)}, shown ${formatCount(left.counts[at] ?? 0)}`
      }
      writeCsv={() =>
        writeCsv([
          [
            ...['from', 'to'].map((end) => [`${title}, ${end}`, column.unit].filter(Boolean).join(', ')),
            noun,
            'shown',
          ],
          ...counts.map((count, at) => [
            edges[at] ?? null,
            edges[at + 1] ?? null,
            count,
            left.counts[at] ?? 0,
          ]),
        ])
      }
    />
  );
}
