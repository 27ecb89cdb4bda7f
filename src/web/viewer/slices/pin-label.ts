import type { Label } from '#contract/shapes/label-words.ts';
import { planeAxes } from '#kernels/grid/plane-transform.ts';
import { roundPoint } from '../state/view-state.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { valueAt } from './draw-plane.ts';

/** More would hide the part. */
const maxLabels = 50;

/**
 * Pins the value under the pointer; without a pointer over the view, as with the keyboard, the grey value at the cursor.
 *
 * @param isPointing whether the pointer is over a picture
 * @returns why nothing was pinned; null = it was
 */
export function pinLabel(model: ViewerModel, isPointing: boolean): string | null {
  const { labels } = model.store.get();
  const label = isPointing ? readProbe(model) : readCursor(model);
  const place = isPointing ? 'under the pointer' : 'at the cursor';
  if (!label) return isPointing && !model.probe.get() ? `Nothing ${place}.` : `No exact value ${place}.`;
  if (labels.some((each) => each.pointMm.join() === roundPoint(label.pointMm).join()))
    return `The value ${place} is pinned already.`;
  if (labels.length >= maxLabels) return `At most ${maxLabels} labels: remove one first.`;
  model.store.update({ labels: [...labels, label] });
  return null;
}

/** Pins a note to the cursor, with the grey value there if known; an existing label at the position gets the note. */
export function pinNote(model: ViewerModel, note: string): boolean {
  const { labels } = model.store.get();
  const pointMm = roundPoint(model.cursorWorld());
  const index = labels.findIndex((each) => each.pointMm.join() === pointMm.join());
  if (index < 0 && labels.length >= maxLabels) return false;
  const label = labels[index] ?? readCursor(model) ?? { pointMm, value: null, title: 'Note', unit: '' };
  const noted = { ...label, note };
  model.store.update({ labels: index < 0 ? [...labels, noted] : labels.with(index, noted) });
  return true;
}

/** A value known to be an average of coarser voxels is not pinned, because it would look like an exact one. */
function readProbe(model: ViewerModel): Label | null {
  const probe = model.probe.get();
  if (!probe?.exact) return null;
  const { pointWorld, value, title, unit } = probe;
  return { pointMm: pointWorld, value, title: title || 'Surface', unit, note: '' };
}

function readCursor(model: ViewerModel): Label | null {
  const pointMm = model.cursorWorld();
  const slice = model.slice('xy');
  const shown = slice && { positionMm: slice.positionMm, view: model.planeView('xy', 1, 1), scale: 1 };
  const cursor = model.cursorGridMm();
  const place = [cursor[planeAxes.xy.u], cursor[planeAxes.xy.v]] as const;
  const plane = shown && model.loaders.xy?.planeAt(shown, ...place);
  if (!plane?.exact) return null;
  const value = valueAt(plane, ...place);
  return { pointMm, value, title: 'Grey value', unit: '', note: '' };
}
