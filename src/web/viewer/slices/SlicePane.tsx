import { IconMaximize, IconMinimize } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { axisNames, type PlaneName, planeAxes, sliceIndex } from '#kernels/grid/plane-transform.ts';
import { IconButton } from '../controls/IconButton.tsx';
import { NumberField } from '../controls/NumberField.tsx';
import { decimalsFor } from '../overlay/format-number.ts';
import { axisInks } from '../overlay/paint.ts';
import { usePaneCanvas } from '../state/pane-canvas.ts';
import { useSignal } from '../state/signal.ts';
import type { PanePainter, ViewerModel } from '../state/viewer-model.ts';
import styles from '../viewer.module.css';
import { paintSlice, SliceScratch } from './paint-slice.ts';
import { attachSliceGestures } from './slice-gestures.ts';

interface SlicePaneProps {
  model: ViewerModel;
  name: PlaneName;
  maximised: boolean;
  onMaximise: () => void;
}

/** One slice: picture, slider, place in mm. */
export function SlicePane({ model, name, maximised, onMaximise }: SlicePaneProps) {
  useSignal(model.store.signal);
  useSignal(model.revision);
  const loading = useSignal(model.volumeLoading);
  const holder = useRef<HTMLDivElement>(null);
  usePaneCanvas(holder, model, name, createPainter);
  useEffect(() => {
    const canvas = holder.current?.querySelector('canvas');
    return canvas ? attachSliceGestures(canvas, model, name) : undefined;
  }, [model, name]);

  const slice = model.slice(name);
  const axis = planeAxes[name].normal;
  const { volume } = model;
  const step = volume?.voxelSizeMm[axis] ?? 1;
  const title = name.toUpperCase();
  return (
    <section className={styles['pane']} aria-label={`Slice ${title}`}>
      <header className={styles['paneHeader']}>
        <span className={styles['paneTitle']}>
          <span className={styles['swatch']} style={{ background: axisInks[axis] }} aria-hidden="true" />
          {title}
        </span>
        {slice && volume ? (
          <>
            <input
              type="range"
              className={styles['slider']}
              aria-label={`Slice along ${axisNames[axis]}`}
              aria-valuetext={`${slice.positionMm.toFixed(3)} mm, slice ${slice.index + 1} of ${slice.count}`}
              min={0}
              max={slice.count - 1}
              step={1}
              value={slice.index}
              onChange={(event) => model.setSliceIndex(name, event.currentTarget.valueAsNumber)}
            />
            <NumberField
              label={`Place along ${axisNames[axis]}`}
              value={slice.positionMm}
              step={step}
              decimals={Math.max(2, decimalsFor(step / 5))}
              unit="mm"
              characters={7}
              onChange={(mm) => model.setSliceIndex(name, sliceIndex(volume, axis, mm))}
            />
            <span className={styles['count']}>
              {slice.index + 1}/{slice.count}
            </span>
          </>
        ) : (
          <span className={styles['grow']} />
        )}
        <IconButton
          label={maximised ? 'Show all panes' : `Show ${title} alone`}
          keys="M"
          onClick={onMaximise}
        >
          {maximised ? <IconMinimize size={15} /> : <IconMaximize size={15} />}
        </IconButton>
      </header>
      <div className={styles['paneBody']} data-kind="slice">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the canvas inside carries role and keys */}
        <div ref={holder} className={styles['holder']} onDoubleClick={onMaximise} />
        {loading.status === 'loading' ? <p className={styles['notice']}>{loading.stage}…</p> : null}
        {loading.status === 'failed' ? (
          <p className={styles['notice']} data-problem>
            The preview is missing: {loading.problem}
          </p>
        ) : null}
        {loading.status === 'none' && !volume ? (
          <p className={styles['notice']}>No volume here yet.</p>
        ) : null}
      </div>
    </section>
  );
}

function createPainter(model: ViewerModel, name: PlaneName) {
  const scratch = new SliceScratch();
  const painter: PanePainter = (context, widthPx, heightPx, scale, live) =>
    paintSlice(model, name, context, { widthPx, heightPx, scale }, scratch, live);
  return painter;
}
