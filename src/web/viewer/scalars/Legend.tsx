import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import {
  decimalsFor,
  formatCount,
  formatQuantity,
  formatWithin,
  resolveRange,
  withUnit,
} from '#contract/base/format-number.ts';
import type { PixelBox } from '#kernels/grid/pane-layout.ts';
import { barX, type LegendModel, paintLegend, valueAtY, yAtValue } from '#kernels/overlay/paint-legend.ts';
import { NumberField } from '../controls/NumberField.tsx';
import { chooseInks } from '../overlay/scheme.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { isCentred, stepIn } from './choose-limits.ts';
import { LegendLimits } from './LegendLimits.tsx';
import styles from './legend.module.css';
import { LegendSource } from './legend-model.ts';

const edge = 8;
const measureBox = (width: number, height: number): PixelBox => ({
  x: 6,
  y: edge,
  width: width - 8,
  height: height - 2 * edge,
});

/**
 * Colours, histogram by area and limits of the scalar shown. Limits are set by dragging, by arrow keys or by number.
 */
export function Legend({ model }: { model: ViewerModel }) {
  useSignal(model.store.signal);
  useSignal(model.surfaceData);
  useSignal(model.shownSurface.simplified);
  const [source] = useState(() => new LegendSource(model));
  const legend = source.get();
  const statistics = model.statistics();
  if (!legend) return null;
  const step = stepIn(legend.range);
  const centred = isCentred(model);
  const setRange = (low: number, high: number) => {
    const least = (legend.domain[1] - legend.domain[0]) * 1e-4;
    if (high - low < least) return;
    // If zero has to stay in the middle, moving one limit also moves the other.
    const reach = Math.abs(high !== legend.range[1] ? high : low);
    if (!centred) model.store.updateSurface({ range: [low, high] });
    else if (reach >= least) model.store.updateSurface({ range: [-reach, reach] });
  };
  const { unit, factor } = legend.shown;
  const formatPlain = (value: number) => formatWithin(legend.range, legend.shown, value);
  const formatValue = (value: number) => withUnit(formatPlain(value), unit);
  const decimals = decimalsFor(resolveRange(legend.range) * factor);
  const mark = model.shownSurface.isSimplified() ? '≈ ' : '';
  /** in the unit of the title */
  const tell = (value: number) => mark + formatPlain(value);
  const { each, words } = model.scalar() ?? {};
  const unmeasured = statistics ? 1 - statistics.measuredAreaMm2 / statistics.areaMm2 : 1;
  return (
    <section className={styles['legend']} aria-label={`Legend: ${legend.title}`}>
      <p className={styles['legendTitle']}>
        {legend.title}
        {unit ? <small> {unit}</small> : null}
      </p>
      {words ? null : (
        <NumberField
          label="Upper limit"
          value={legend.range[1] * factor}
          step={step * factor}
          decimals={decimals}
          characters={9}
          onChange={(high) => setRange(legend.range[0], high / factor)}
        />
      )}
      <LegendBar
        model={model}
        source={source}
        legend={legend}
        step={step}
        formatValue={formatValue}
        setRange={setRange}
      />
      {words ? null : (
        <NumberField
          label="Lower limit"
          value={legend.range[0] * factor}
          step={step * factor}
          decimals={decimals}
          characters={9}
          onChange={(low) => setRange(low / factor, legend.range[1])}
        />
      )}
      {statistics && !words ? (
        <dl className={styles['legendNumbers']}>
          <dt className={styles['always']}>median</dt>
          <dd className={styles['always']}>{tell(statistics.median)}</dd>
          <dt>mean</dt>
          <dd>{tell(statistics.mean)}</dd>
          <dt>min</dt>
          <dd>{tell(statistics.minimum)}</dd>
          <dt>max</dt>
          <dd>{tell(statistics.maximum)}</dd>
          {each && statistics.places !== undefined ? (
            <>
              <dt title="Each counts once. The smallest may not be drawn.">{each.noun}</dt>
              <dd>
                {formatCount(statistics.places)}
                {each.count !== null && each.count > statistics.places
                  ? ` of ${formatCount(each.count)}`
                  : ''}
              </dd>
            </>
          ) : null}
          {unmeasured > 5e-4 ? (
            <>
              <dt className={styles['always']} title="Share of the area without a value, drawn in grey">
                no value
              </dt>
              <dd className={styles['always']}>{mark + formatQuantity(unmeasured * 100, '%')}</dd>
            </>
          ) : null}
        </dl>
      ) : null}
      <LegendLimits model={model} legend={legend} step={step} />
    </section>
  );
}

interface LegendBarProps {
  model: ViewerModel;
  source: LegendSource;
  legend: LegendModel;
  step: number;
  formatValue: (value: number) => string;
  setRange: (low: number, high: number) => void;
}

type Drag = { kind: 'low' } | { kind: 'high' } | { kind: 'range' | 'brush'; from: number };

function LegendBar({ model, source, legend, step, formatValue, setRange }: LegendBarProps) {
  const holder = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const drag = useRef<Drag | null>(null);
  const [height, setHeight] = useState(0);
  useEffect(() => {
    const [parent, picture] = [holder.current, canvas.current];
    if (!parent || !picture) return;
    const draw = () => {
      const now = source.get();
      const [width, tall] = [parent.clientWidth, parent.clientHeight];
      const context = picture.getContext('2d');
      if (!now || !context || width < 1 || tall < 1) return;
      const scale = window.devicePixelRatio || 1;
      picture.width = Math.round(width * scale);
      picture.height = Math.round(tall * scale);
      context.setTransform(scale, 0, 0, scale, 0, 0);
      paintLegend(context, now, measureBox(width, tall), chooseInks(parent));
    };
    const request = () => model.scheduler.request(draw);
    const sized = new ResizeObserver(() => {
      setHeight(parent.clientHeight);
      request();
    });
    sized.observe(parent);
    const { store, revision, surfaceData, shownSurface, probe, scheme } = model;
    const signals = [store.signal, revision, surfaceData, shownSurface.simplified, probe, scheme];
    const stops = signals.map((signal) => signal.subscribe(request));
    request();
    return () => {
      for (const stop of stops) stop();
      sized.disconnect();
      model.scheduler.cancel(draw);
    };
  }, [model, source]);

  const box = measureBox(100, height);
  const { range, domain } = legend;
  const place = (event: PointerEvent) => event.clientY - (holder.current?.getBoundingClientRect().top ?? 0);
  const begin = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const y = place(event);
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    if (x < barX(measureBox(event.currentTarget.clientWidth, height)) - 8) {
      drag.current = { kind: 'brush', from: valueAtY(box, domain, y) };
      return;
    }
    const near = (value: number) => Math.abs(yAtValue(box, domain, value) - y);
    const [low, high] = [near(range[0]), near(range[1])];
    if (Math.min(low, high) <= 9) drag.current = low < high ? { kind: 'low' } : { kind: 'high' };
    else drag.current = { kind: 'range', from: valueAtY(box, domain, y) };
  };
  const move = (event: PointerEvent) => {
    if (!drag.current) return;
    const y = Math.min(box.y + box.height, Math.max(box.y, place(event)));
    const now = drag.current;
    // The same digits as the fields show.
    const fine = resolveRange(domain);
    const value = Math.round(valueAtY(box, domain, y) / fine) * fine;
    if (now.kind === 'low') setRange(Math.min(value, range[1]), range[1]);
    else if (now.kind === 'high') setRange(range[0], Math.max(value, range[0]));
    else if (Math.abs(yAtValue(box, domain, now.from) - y) > 5) {
      const ends: [number, number] = [Math.min(now.from, value), Math.max(now.from, value)];
      if (now.kind === 'range') setRange(...ends);
      else model.store.updateSurface({ brush: ends });
    }
  };
  const end = (event: PointerEvent) => {
    const now = drag.current;
    drag.current = null;
    // A click on the histogram clears the brush.
    if (now?.kind === 'brush' && Math.abs(yAtValue(box, domain, now.from) - place(event)) <= 5)
      model.store.updateSurface({ brush: null });
  };
  const keys = (which: 0 | 1) => (event: KeyboardEvent) => {
    const direction = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[
      event.key
    ];
    if (direction === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next: [number, number] = [...range];
    next[which] += direction * step;
    setRange(next[0], next[1]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the two handles inside are the sliders; the bar adds dragging
    <div
      ref={holder}
      className={styles['legendBar']}
      title="Drag a limit, or drag over the colours to show; drag over the histogram to colour only these values; double-click for the limits of the data"
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
      onDoubleClick={() => model.store.updateSurface({ range: null, brush: null })}
    >
      <canvas ref={canvas} />
      {([0, 1] as const).map((which) => (
        <div
          key={which}
          role="slider"
          tabIndex={0}
          className={styles['legendHandle']}
          aria-orientation="vertical"
          aria-label={which === 0 ? 'Lower limit of the colours' : 'Upper limit of the colours'}
          aria-valuemin={domain[0]}
          aria-valuemax={domain[1]}
          aria-valuenow={range[which]}
          aria-valuetext={formatValue(range[which])}
          style={{ top: yAtValue(box, domain, range[which]) }}
          onKeyDown={keys(which)}
        />
      ))}
    </div>
  );
}
