import { formatQuantity } from '#contract/base/format-number.ts';
import { colorMap } from '#kernels/color/maps.ts';
import { missingValue } from '#kernels/color/weighted-histogram.ts';
import { mmPerPixel, type PlaneView, type SliceName } from '#kernels/grid/plane-transform.ts';
import { listMarks, type SliceMarks } from '#kernels/grid/slice-marks.ts';
import { onDark } from '#kernels/overlay/paint.ts';
import { paintMagnification, paintThicknesses } from '#kernels/overlay/paint-mark-numbers.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { beyondInks, inkAt, linePx, listInks, missingInk, placePoint, strokePath } from './cut-inks.ts';

const haloPx = 3.5;

/** Deviations as whiskers and thicknesses as arrows across the wall, where the surface is coloured by them. */
export function paintMarks(
  model: ViewerModel,
  name: SliceName,
  context: CanvasRenderingContext2D,
  view: PlaneView,
): void {
  const scalar = model.scalar();
  const values = scalar && model.surfaceData.get()?.scalars[scalar.name];
  const { slices } = model.store.get();
  if (!scalar?.marks || !slices[scalar.marks] || !values) return;
  const cut = model.cuts.getPlaced(name);
  if (!cut) return;
  const look = { kind: scalar.marks, range: model.range(), magnification: slices.magnification ?? undefined };
  const marks = listMarks(cut, values, view, look, mmPerPixel(view));
  context.save();
  context.lineJoin = 'round';
  context.lineCap = 'butt';
  paintLines(model, context, view, marks);
  if (scalar.marks === 'walls')
    paintThicknesses(context, view, marks, (value) => formatQuantity(value, scalar.unit));
  else paintMagnification(context, view, marks.magnification);
  context.restore();
}

function paintLines(
  model: ViewerModel,
  context: CanvasRenderingContext2D,
  view: PlaneView,
  { lines: { points, starts }, values }: SliceMarks,
): void {
  const range = model.range();
  const { map, brush } = model.store.get().surface;
  const inks = listInks(colorMap(map));
  const [all, below, above] = [new Path2D(), new Path2D(), new Path2D()];
  const coloured = new Map<number, Path2D>();
  values.forEach((value, line) => {
    const path = new Path2D();
    const [first = 0, end = first] = starts.subarray(line, line + 2);
    for (let i = first; i < end; i++) {
      const place = placePoint(view, points, i);
      if (i === first) path.moveTo(...place);
      else path.lineTo(...place);
    }
    const isLeftOut = brush !== null && (value < brush[0] || value > brush[1]);
    const ink = inkAt(isLeftOut ? missingValue : value, range);
    const same = coloured.get(ink) ?? new Path2D();
    same.addPath(path);
    coloured.set(ink, same);
    all.addPath(path);
    if (isLeftOut) return;
    if (value < range[0]) below.addPath(path);
    if (value > range[1]) above.addPath(path);
  });
  strokePath(context, all, onDark.halo, haloPx);
  for (const [ink, path] of coloured) strokePath(context, path, inks[ink] ?? missingInk, linePx);
  context.setLineDash([...beyondInks.dashPx]);
  strokePath(context, below, beyondInks.below, linePx);
  strokePath(context, above, beyondInks.above, linePx);
  context.setLineDash([]);
}
