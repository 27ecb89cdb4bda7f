import { colorMap } from '#kernels/color/maps.ts';
import type { PlaneView, SliceName } from '#kernels/grid/plane-transform.ts';
import { paintChosenBall, paintReferenceCut, paintSurfaceCut } from '#kernels/overlay/paint-cut.ts';
import type { LabelBox } from '#kernels/overlay/paint-measurements.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { paintMarks } from './paint-marks.ts';

/** Draws what a slice cuts: contour of the surface in its colours, defects filled, the reference dashed. Returns where numbers are. */
export function paintCuts(
  model: ViewerModel,
  name: SliceName,
  context: CanvasRenderingContext2D,
  view: PlaneView,
): LabelBox[] {
  const { slices } = model.store.get();
  const reference = slices.reference ? model.cuts.get('reference', name) : null;
  // With two contours the user could not tell which one is the planned surface.
  const isPlanned = model.plan.get() !== null;
  context.save();
  context.lineCap = 'butt';
  if (reference) paintReferenceCut(context, reference, view, model.reference?.isPart ?? false);
  if (slices.surface && !isPlanned) paintSurface(model, name, context, view);
  context.restore();
  return isPlanned ? [] : paintMarks(model, name, context, view);
}

function paintSurface(
  model: ViewerModel,
  name: SliceName,
  context: CanvasRenderingContext2D,
  view: PlaneView,
): void {
  const cut = model.cuts.get('surface', name);
  if (!cut) return;
  const { map, brush } = model.store.get().surface;
  // A column of the places is a scalar of the surface only after it was requested.
  const scalar = model.scalar();
  const scalars = model.surfaceData.get()?.scalars;
  const values = scalar && scalars?.[scalar.name];
  const marks = model.places.marks();
  const ids = scalars?.[marks?.attribute ?? ''];
  const places = marks && ids ? { ids, marks } : null;
  paintSurfaceCut(context, view, {
    cut,
    colours: values ? { values, range: model.range(), lut: colorMap(map), brush } : null,
    isFilled: model.surface?.shows === 'defects',
    places,
  });
  const [grid, slice] = [model.grid(name), model.slice(name)];
  if (grid && slice && places)
    paintChosenBall(context, { grid, name, positionMm: slice.positionMm }, view, places);
}
