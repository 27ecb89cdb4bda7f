import { IconChevronLeft, IconChevronRight, IconX } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { formatCount, formatWithin, withUnit } from '#contract/base/format-number.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import {
  describeColumn,
  findColumn,
  hasSizes,
  type PlaceColumn,
  type PlaceLimits,
  type PlaceTable,
} from '#kernels/places/place-table.ts';
import { type Command, useCommands } from '#web/ui/commands.ts';
import { IconButton } from '../controls/IconButton.tsx';
import inputStyles from '../controls/inputs.module.css';
import paneStyles from '../pane.module.css';
import { stepPlace } from '../state/choose-place.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import viewerStyles from '../viewer.module.css';
import { countDrawn } from './count-drawn.ts';
import { PlaceHistogram } from './PlaceHistogram.tsx';
import { PlacesGrid } from './PlacesGrid.tsx';
import styles from './places.module.css';
import { findUnit, showValue } from './show-value.ts';

/** Offers keys for the next and previous place while a list exists, wherever the focus is. */
export function usePlaceKeys(model: ViewerModel): void {
  const hasPlaces = useSignal(model.places.table) !== null;
  const noun = model.places.source?.noun.toLowerCase();
  const step = (keys: string, which: string, by: number): Command => ({
    keys,
    label: `${which} ${noun}`,
    group: 'Viewer',
    run: () => stepPlace(model, by),
  });
  useCommands(hasPlaces ? [step('n', 'Next', 1), step('N', 'Previous', -1)] : []);
}

/** All places of the surface: their number, the filter, their distribution, and the table. */
export function PlacesDock({ model, onClose }: { model: ViewerModel; onClose: () => void }) {
  const { defects } = useSignal(model.store.signal);
  const table = useSignal(model.places.table);
  const loading = useSignal(model.places.loading);
  const { source } = model.places;
  if (!source) return null;
  const title = source.title.toLowerCase();
  const setFilter = (filter: readonly PlaceLimits[]) =>
    model.store.update({ defects: { ...model.store.get().defects, filter: [...filter] } });
  const rows = model.places.rows();
  return (
    <section className={viewerStyles['viewer']} aria-label={`All ${title}`}>
      <header className={styles['head']}>
        <span className={paneStyles['paneTitle']}>{source.title}</span>
        <span role="status" className={styles['count']}>
          {table
            ? rows.length < table.count
              ? `${formatCount(rows.length)} of ${formatCount(table.count)}`
              : formatCount(table.count)
            : ''}
        </span>
        {table && <DrawnCount model={model} table={table} rows={rows} />}
        {table && <FilterChips table={table} filter={defects.filter} onChange={setFilter} />}
        <span className={viewerStyles['grow']} />
        <IconButton
          label={`${source.noun} before`}
          keys="Shift+N"
          disabled={!table}
          onClick={() => stepPlace(model, -1)}
        >
          <IconChevronLeft size={15} />
        </IconButton>
        <IconButton
          label={`Next ${source.noun.toLowerCase()}`}
          keys="N"
          disabled={!table}
          onClick={() => stepPlace(model, 1)}
        >
          <IconChevronRight size={15} />
        </IconButton>
        <IconButton label={`Close the table of ${title}`} onClick={onClose}>
          <IconX size={15} />
        </IconButton>
      </header>
      {loading.status === 'loading' && <p className={styles['notice']}>{loading.stage}…</p>}
      {loading.status === 'failed' && (
        <p className={styles['notice']} data-problem>
          The {title} cannot be listed: {loading.problem}
        </p>
      )}
      {table && (
        <div className={styles['body']}>
          <Distribution model={model} table={table} defects={defects} onFilter={setFilter} />
          <PlacesGrid model={model} table={table} title={`All ${title}`} />
        </div>
      )}
    </section>
  );
}

interface DrawnCountProps {
  model: ViewerModel;
  table: PlaceTable;
  rows: Uint32Array;
}

/** States whether 3D shows some of the listed places as octahedra, or not at all. */
function DrawnCount({ model, table, rows }: DrawnCountProps) {
  const surface = useSignal(model.surfaceData);
  const ids = surface?.scalars[model.places.source?.attribute ?? ''];
  const standIn = surface?.scalars['standIn'];
  const ofSurface = useMemo(
    () => standIn && ids?.filter((_, vertex) => standIn[vertex] === 0),
    [standIn, ids],
  );
  const drawn = useMemo(() => ids && countDrawn(table, rows, ids), [table, rows, ids]);
  const whole = useMemo(() => ofSurface && countDrawn(table, rows, ofSurface), [table, rows, ofSurface]);
  if (drawn === undefined || (drawn === rows.length && (whole ?? drawn) === drawn)) return null;
  if (drawn === rows.length)
    return (
      <span
        className={styles['count']}
        title="Smaller ones are drawn as octahedra with their volume and the proportions of their bounding box."
      >
        {`${formatCount(drawn - (whole ?? 0))} simplified in 3D`}
      </span>
    );
  return (
    <span
      className={styles['count']}
      title="Smaller ones appear in 3D once they are selected, as a sphere of their size."
    >
      {drawn === 0 ? 'in 3D once selected' : `the ${formatCount(drawn)} largest in 3D`}
    </span>
  );
}

interface FilterProps {
  table: PlaceTable;
  filter: readonly PlaceLimits[];
  onChange: (filter: readonly PlaceLimits[]) => void;
}

/** The filter's conditions, each with a button that removes it. */
function FilterChips({ table, filter, onChange }: FilterProps) {
  return filter.map((limits) => {
    const column = findColumn(table, limits.column);
    if (!column) return null;
    const text = `${column.title} ${describeLimits(column, limits)}`;
    return (
      <button
        key={limits.column}
        type="button"
        className={styles['chip']}
        title="Remove this limit"
        aria-label={`Remove: ${text}`}
        onClick={() => onChange(filter.filter((each) => each !== limits))}
      >
        {text}
        <IconX size={12} aria-hidden />
      </button>
    );
  });
}

function describeLimits(column: PlaceColumn, { min, max }: PlaceLimits): string {
  if (column.words) return column.words[min ?? 0] ?? '';
  const formatValue = (value: number) => showValue(column, value);
  if (min !== null && max !== null) return `${formatValue(min)} to ${formatValue(max)}`;
  return min !== null ? `≥ ${formatValue(min)}` : `≤ ${formatValue(max ?? 0)}`;
}

interface DistributionProps {
  model: ViewerModel;
  table: PlaceTable;
  defects: ViewState['defects'];
  onFilter: (filter: readonly PlaceLimits[]) => void;
}

/**
 * Distribution of one column: histogram to filter by, number fields for the limits, statistics of the filtered places.
 */
function Distribution(props: DistributionProps) {
  const { table, defects } = props;
  const columns = table.columns.filter(({ name, isMinor }) => !isMinor && name !== 'id');
  const name = defects.histogram.column;
  const column = (name && findColumn(table, name)) || (columns.find(({ words }) => !words) ?? columns[0]);
  return column && <ColumnDistribution {...props} columns={columns} column={column} />;
}

interface ColumnDistributionProps extends DistributionProps {
  columns: readonly PlaceColumn[];
  column: PlaceColumn;
}

function ColumnDistribution(props: ColumnDistributionProps) {
  const { model, table, defects, onFilter, columns, column } = props;
  const { filter, histogram } = defects;
  const isLog = histogram.log && hasSizes(column);
  const show = (change: Partial<typeof histogram>) =>
    model.store.update({ defects: { ...defects, histogram: { ...histogram, ...change } } });
  const rows = model.places.rows();
  const statistics = useMemo(() => describeColumn(column, rows), [column, rows]);
  const limits = filter.find((each) => each.column === column.name);
  const limit = (min: number | null, max: number | null) => {
    // Read now: a plot drawn earlier calls this, too.
    const others = model.store.get().defects.filter.filter((each) => each.column !== column.name);
    onFilter(min === null && max === null ? others : [...others, { column: column.name, min, max }]);
  };
  const formatValue = (value: number) => showValue(column, value);
  const formatStatistic = (value: number) =>
    statistics && !hasSizes(column) && column.unit
      ? withUnit(
          formatWithin([statistics.min, statistics.max], findUnit(column), value),
          findUnit(column).unit,
        )
      : formatValue(value);
  return (
    <div className={styles['distribution']}>
      <div className={styles['choice']}>
        <select
          aria-label="Column of the histogram"
          value={column.name}
          onChange={(event) => show({ column: event.currentTarget.value })}
        >
          {columns.map((each) => (
            <option key={each.name} value={each.name}>
              {each.title}
            </option>
          ))}
        </select>
        {hasSizes(column) && (
          <label>
            <input
              type="checkbox"
              checked={isLog}
              onChange={(event) => show({ log: event.currentTarget.checked })}
            />
            Log
          </label>
        )}
      </div>
      {column.words ? (
        <Words column={column} limits={limits} onLimit={limit} />
      ) : (
        <>
          <PlaceHistogram
            model={model}
            table={table}
            column={column}
            noun={model.places.source?.title.toLowerCase() ?? 'places'}
            isLog={isLog}
            limits={limits}
            onLimit={limit}
          />
          <div className={styles['limits']}>
            <LimitField
              key={`min ${column.name} ${limits?.min}`}
              label={`${column.title} from`}
              value={limits?.min ?? null}
              onChange={(min) => limit(min, limits?.max ?? null)}
            />
            <span>to</span>
            <LimitField
              key={`max ${column.name} ${limits?.max}`}
              label={`${column.title} to`}
              value={limits?.max ?? null}
              onChange={(max) => limit(limits?.min ?? null, max)}
            />
            <span>{column.unit}</span>
          </div>
          {statistics && (
            <dl className={styles['statistics']}>
              {(
                [
                  ['Mean', formatStatistic(statistics.mean)],
                  ['Median', formatStatistic(statistics.median)],
                  ['Std dev.', formatStatistic(statistics.sd)],
                  ['Smallest', formatValue(statistics.min)],
                  ['Largest', formatValue(statistics.max)],
                  ...(hasSizes(column) ? ([['Sum', formatValue(statistics.sum)]] as const) : []),
                ] as const
              ).map(([term, value]) => (
                <div key={term}>
                  <dt>{term}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          )}
        </>
      )}
    </div>
  );
}

interface WordsProps {
  column: PlaceColumn;
  limits: PlaceLimits | undefined;
  onLimit: (min: number | null, max: number | null) => void;
}

const Words = ({ column: { title, words }, limits, onLimit }: WordsProps) => (
  <fieldset className={styles['words']} aria-label={title}>
    {['any', ...(words ?? [])].map((word, i) => (
      <label key={word}>
        <input
          type="radio"
          checked={limits ? limits.min === i - 1 : i === 0}
          onChange={() => (i === 0 ? onLimit(null, null) : onLimit(i - 1, i - 1))}
        />
        {word}
      </label>
    ))}
  </fieldset>
);

interface LimitFieldProps {
  label: string;
  value: number | null;
  onChange: (value: number | null) => void;
}

/** A limit applied on Enter or when the field loses focus; empty = none. */
function LimitField({ label, value, onChange }: LimitFieldProps) {
  const [typed, setTyped] = useState(value === null ? '' : String(Number(value.toPrecision(6))));
  const number = Number(typed);
  const isWrong = Number.isNaN(number);
  const commit = () => {
    const next = typed.trim() === '' ? null : number;
    if (!isWrong && next !== value) onChange(next);
  };
  return (
    <input
      className={inputStyles['input']}
      type="text"
      inputMode="decimal"
      aria-label={label}
      aria-invalid={isWrong || undefined}
      placeholder="any"
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  );
}
