import { IconListNumbers, IconMaximize, IconMinimize, IconScissors } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { decimalsFor } from '#contract/base/format-number.ts';
import { axisNames, planeAxes, type SliceName, sliceIndex } from '#kernels/grid/plane-transform.ts';
import { axisInks, obliqueInk } from '#kernels/overlay/paint.ts';
import { IconButton } from '../controls/IconButton.tsx';
import inputStyles from '../controls/inputs.module.css';
import { NumberField } from '../controls/NumberField.tsx';
import paneStyles from '../pane.module.css';
import { isCutAlong, toggleCutAlong } from '../state/clips.ts';
import { moveAlongNormal, readOffsetMm } from '../state/oblique.ts';
import { usePaneCanvas } from '../state/pane-canvas.ts';
import type { PanePainter } from '../state/panes.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import viewerStyles from '../viewer.module.css';
import { paintSlice, SliceScratch } from './paint-slice.ts';
import { SliceFields } from './SliceFields.tsx';
import { attachSliceGestures } from './slice-gestures.ts';

interface SlicePaneProps {
  model: ViewerModel;
  name: SliceName;
  maximised: boolean;
  onMaximise: (() => void) | null;
}

/** One slice: picture, slider, position in mm. */
export function SlicePane({ model, name, maximised, onMaximise }: SlicePaneProps) {
  useSignal(model.store.signal);
  useSignal(model.revision);
  const loading = useSignal(model.volumeLoading);
  const hasScene = useSignal(model.webgl) !== 'no';
  const holder = useRef<HTMLDivElement>(null);
  const [hasNumbers, setNumbers] = useState(false);
  usePaneCanvas(holder, model, name, createPainter);
  useEffect(() => {
    const canvas = holder.current?.querySelector('canvas');
    return canvas ? attachSliceGestures(canvas, model, name) : undefined;
  }, [model, name]);

  const slice = model.slice(name);
  const axis = planeAxes[name].normal;
  const isOblique = name === 'oblique';
  const volume = model.grid(name);
  const step = volume?.voxelSizeMm[axis] ?? 1;
  const title = isOblique ? 'Oblique' : name.toUpperCase();
  const along = isOblique ? 'its normal' : axisNames[axis];
  const placeMm = isOblique ? readOffsetMm(model) : (slice?.positionMm ?? 0);
  return (
    <section className={paneStyles['pane']} aria-label={`Slice ${title}`}>
      <header className={paneStyles['paneHeader']}>
        <span className={paneStyles['paneTitle']}>
          <span
            className={paneStyles['swatch']}
            style={{ background: isOblique ? obliqueInk : axisInks[axis] }}
            aria-hidden="true"
          />
          {title}
        </span>
        {slice && volume ? (
          <>
            <input
              type="range"
              className={inputStyles['slider']}
              aria-label={`Slice along ${along}`}
              aria-valuetext={`${placeMm.toFixed(3)} mm, slice ${slice.index + 1} of ${slice.count}`}
              min={0}
              max={slice.count - 1}
              step={1}
              value={slice.index}
              onChange={(event) => model.setSliceIndex(name, event.currentTarget.valueAsNumber)}
            />
            <NumberField
              label={`Position along ${along}`}
              value={placeMm}
              step={step}
              decimals={Math.max(2, decimalsFor(step / 5))}
              unit="mm"
              characters={7}
              onChange={(mm) =>
                isOblique
                  ? moveAlongNormal(model, mm - placeMm)
                  : model.setSliceIndex(name, sliceIndex(volume, axis, mm))
              }
            />
            <span className={paneStyles['count']}>
              {slice.index + 1}/{slice.count}
            </span>
            {hasScene ? (
              <IconButton
                label={`Cut the part open along ${title}`}
                keys="C"
                pressed={isCutAlong(model, name)}
                onClick={() => toggleCutAlong(model, name)}
              >
                <IconScissors size={15} />
              </IconButton>
            ) : null}
          </>
        ) : (
          <span className={viewerStyles['grow']} />
        )}
        {onMaximise ? (
          <IconButton
            label={maximised ? 'Show all panes' : `Show ${title} alone`}
            keys="F"
            onClick={onMaximise}
          >
            {maximised ? <IconMinimize size={15} /> : <IconMaximize size={15} />}
          </IconButton>
        ) : null}
      </header>
      {hasNumbers && slice && volume ? <SliceFields {...{ model, name, holder }} /> : null}
      <div className={paneStyles['paneBody']} data-kind="slice">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the canvas inside carries role and keys */}
        <div ref={holder} className={paneStyles['holder']} onDoubleClick={onMaximise ?? undefined} />
        {slice && volume ? (
          <div className={paneStyles['paneCorner']}>
            <IconButton
              label={`View of ${title} in numbers`}
              pressed={hasNumbers}
              onClick={() => setNumbers(!hasNumbers)}
            >
              <IconListNumbers size={15} />
            </IconButton>
          </div>
        ) : null}
        {loading.status === 'loading' ? <p className={paneStyles['notice']}>{loading.stage}…</p> : null}
        {loading.status === 'none' && !volume ? (
          <p className={paneStyles['notice']}>No volume here yet.</p>
        ) : null}
      </div>
    </section>
  );
}

function createPainter(model: ViewerModel, name: SliceName) {
  const scratch = new SliceScratch();
  const painter: PanePainter = (context, widthPx, heightPx, scale, live) =>
    paintSlice(model, name, context, { widthPx, heightPx, scale }, scratch, live);
  return painter;
}
