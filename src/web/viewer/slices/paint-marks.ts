import { formatWithinUnit } from '#contract/base/format-number.ts';
import { colorMap } from '#kernels/color/maps.ts';
import { mmPerPixel, type PlaneView, type SliceName } from '#kernels/grid/plane-transform.ts';
import { listMarks } from '#kernels/grid/slice-marks.ts';
import { paintMarkLines } from '#kernels/overlay/paint-cut.ts';
import { paintMagnification, paintThicknesses } from '#kernels/overlay/paint-mark-numbers.ts';
import type { LabelBox } from '#kernels/overlay/paint-measurements.ts';
import type { ViewerModel } from '../state/viewer-model.ts';

/** Draws deviations as whiskers and thicknesses as arrows across the wall, if the surface is coloured by them. Returns where the numbers are. */
export function paintMarks(
  model: ViewerModel,
  name: SliceName,
  context: CanvasRenderingContext2D,
  view: PlaneView,
): LabelBox[] {
  const scalar = model.scalar();
  const values = scalar && model.surfaceData.get()?.scalars[scalar.name];
  const { slices } = model.store.get();
  if (!scalar?.marks || !slices[scalar.marks] || !values) return [];
  const cut = model.cuts.getPlaced(name);
  if (!cut) return [];
  const range = model.range();
  const { map, brush } = model.store.get().surface;
  const look = { kind: scalar.marks, range, magnification: slices.magnification ?? undefined };
  const marks = listMarks(cut, values, view, look, mmPerPixel(view));
  context.save();
  context.lineCap = 'butt';
  paintMarkLines(context, view, marks, { range, lut: colorMap(map), brush });
  const numbers =
    scalar.marks === 'walls'
      ? paintThicknesses(context, view, marks, (value) => formatWithinUnit(range, scalar.unit, value))
      : paintMagnification(context, view, marks.magnification);
  context.restore();
  return numbers;
}
