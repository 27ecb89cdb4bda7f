import { formatWithinUnit } from '#contract/base/format-number.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { colorMap } from '#kernels/color/maps.ts';
import { vertexAreasAndNormals } from '#kernels/color/vertex-areas.ts';
import { missingValue } from '#kernels/color/weighted-histogram.ts';
import { cutSurface } from '#kernels/grid/cut-surface.ts';
import { mmPerPixel, planeRows } from '#kernels/grid/plane-transform.ts';
import { listMarks } from '#kernels/grid/slice-marks.ts';
import type { Canvas2D } from '#kernels/overlay/canvas.ts';
import { paintChosenBall, paintMarkLines, paintSurfaceCut } from '#kernels/overlay/paint-cut.ts';
import { paintMagnification, paintThicknesses } from '#kernels/overlay/paint-mark-numbers.ts';
import type { LabelBox } from '#kernels/overlay/paint-measurements.ts';
import { readColours } from '../pictures/surface-picture.ts';
import type { SliceDrawing } from './draw-slice.ts';
import type { DrawnSurface } from './place-things.ts';

/**
 * Draws the contour of the surface on a slice in the surface's colours, and the marks requested by the state.
 * @param view in canvas units
 * @returns where numbers are
 */
export function drawCut(
  canvas: Canvas2D,
  surface: DrawnSurface,
  { name, grid, view, positionMm }: Pick<SliceDrawing, 'name' | 'grid' | 'view' | 'positionMm'>,
  { surface: look, slices }: Pick<ViewState, 'surface' | 'slices'>,
): LabelBox[] {
  const { mesh, marks: placeMarks } = surface;
  const scalar = surface.scalars.find((each) => each.name === look.scalar);
  const kind = scalar?.marks;
  const isMarked = kind !== undefined && slices[kind];
  if (!slices.surface && !isMarked) return [];
  const rows = planeRows(grid, name, positionMm);
  const cut = cutSurface(mesh, rows);
  const { vertexAreasMm2, normals } = vertexAreasAndNormals(mesh);
  const { values, range } = readColours(surface, look, vertexAreasMm2);
  const colours = { range: range ?? ([0, 1] as const), lut: colorMap(look.map), brush: look.brush };
  canvas.save();
  if (slices.surface) {
    const ids = placeMarks && mesh.scalars?.[placeMarks.attribute];
    const places = placeMarks && ids ? { ids, marks: placeMarks } : null;
    paintSurfaceCut(canvas, view, {
      cut,
      colours: values ? { ...colours, values } : null,
      isFilled: surface.isOfPlaces,
      places,
    });
    if (places) paintChosenBall(canvas, { grid, name, positionMm }, view, places);
  }
  let numbers: LabelBox[] = [];
  if (isMarked && values) {
    const { positions } = mesh;
    const placed = { ...cut, rows, positions, normals, missing: missingValue };
    const look = { kind, range: colours.range, magnification: slices.magnification ?? undefined };
    const marks = listMarks(placed, values, view, look, mmPerPixel(view));
    paintMarkLines(canvas, view, marks, colours);
    numbers =
      kind === 'walls'
        ? paintThicknesses(canvas, view, marks, (value) =>
            formatWithinUnit(colours.range, scalar?.unit ?? '', value),
          )
        : paintMagnification(canvas, view, marks.magnification);
  }
  canvas.restore();
  return numbers;
}
