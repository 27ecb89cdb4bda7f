import { VisuallyHidden } from '@mantine/core';
import { useEffect, useState } from 'react';
import { decimalsFor, fixed, formatQuantity, formatWithinUnit } from '#contract/base/format-number.ts';
import { describePlace } from '#contract/shapes/label-words.ts';
import type { Point } from '#kernels/grid/camera.ts';
import { axisNames } from '#kernels/grid/plane-transform.ts';
import { axisInks } from '#kernels/overlay/paint.ts';
import { legendDomain } from '#kernels/overlay/paint-legend.ts';
import { readWord } from '#kernels/places/place-scalars.ts';
import type { Probe } from '../state/panes.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import viewerStyles from '../viewer.module.css';
import statusStyles from './status.module.css';

/** Minimum time between two announcements to screen readers. */
const announceMs = 800;

/** The value under the pointer with unit and position in mm, and the position of the cursor. */
export function StatusLine({ model }: { model: ViewerModel }) {
  const probe = useSignal(model.probe);
  const measuring = useSignal(model.measuring.props);
  useSignal(model.store.signal);
  useSignal(model.revision);
  const voxel = model.volume ? Math.min(...model.volume.voxelSizeMm) : 0.01;
  const decimals = Math.max(2, decimalsFor(voxel / 5));
  const place = (point: Point) =>
    ([0, 1, 2] as const).map((axis) => (
      <span key={axis} className={statusStyles['coordinate']}>
        <i style={{ background: axisInks[axis] }} aria-hidden="true" />
        {axisNames[axis]} {fixed(point[axis], decimals)}
      </span>
    ));
  return (
    <footer className={statusStyles['status']}>
      <span className={statusStyles['statusPart']} data-testid="probe">
        {probe ? (
          <>
            <b>{probe.pane === '3d' ? probe.title || 'Surface' : probe.pane.toUpperCase()}</b>
            <strong>{valueText(model, probe)}</strong>
            {place(probe.pointWorld)}
            <span className={statusStyles['unit']}>mm</span>
          </>
        ) : (
          <span className={statusStyles['hint']}>
            {measuring?.hint ?? 'Point at a slice or the surface to read values'}
          </span>
        )}
      </span>
      <span className={viewerStyles['grow']} />
      <span className={statusStyles['statusPart']} title="Cursor: the slices pass through it">
        <b>Cursor</b>
        {place(model.cursorWorld())}
        <span className={statusStyles['unit']}>mm</span>
      </span>
      <Announcement text={probe ? spoken(model, probe) : ''} />
    </footer>
  );
}

/** The value of a probe as text; averages of coarser voxels and values of a simplified surface are marked as such. */
export function valueText(model: ViewerModel, probe: Probe): string {
  if (probe.value === null) return probe.title ? 'not measured' : '–';
  const text = probe.pane === '3d' ? surfaceText(model, probe.value, probe) : greyText(model, probe.value);
  return probe.exact ? text : `≈ ${text}`;
}

/** With the digits and the unit of the legend, if it is a value of the scalar shown. */
function surfaceText(model: ViewerModel, value: number, { title, unit }: Probe): string {
  const scalar = model.scalar();
  if (title !== scalar?.title) return formatQuantity(value, unit);
  if (scalar.words) return readWord(scalar.words, value);
  const range = model.range();
  return formatWithinUnit(range, unit, value, legendDomain(range, model.statistics()));
}

function greyText(model: ViewerModel, grey: number): string {
  const isWhole = !/^float/.test(model.volume?.dataType ?? '');
  return fixed(grey, isWhole ? 0 : decimalsFor(model.window().width / 1000));
}

const spoken = (model: ViewerModel, probe: Probe) =>
  `${probe.title} ${valueText(model, probe)} at ${describePlace(probe.pointWorld)}`;

/** Announces the text at most every `announceMs`, and always the last one. */
function Announcement({ text }: { text: string }) {
  const [announcement, setAnnouncement] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAnnouncement(text), announceMs);
    return () => clearTimeout(timer);
  }, [text]);
  return <VisuallyHidden role="status">{announcement}</VisuallyHidden>;
}
