import type { LimitedScalar } from '#contract/analyses/data-kinds.ts';
import { formatQuantity } from '#contract/base/format-number.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { colorIndex, colorMap } from '#kernels/color/maps.ts';
import { vertexAreasAndNormals } from '#kernels/color/vertex-areas.ts';
import { missingValue } from '#kernels/color/weighted-histogram.ts';
import type { MarkLines } from '#kernels/grid/cut-marks.ts';
import { cutSurface, valuesAlongCut } from '#kernels/grid/cut-surface.ts';
import { mmPerPixel, planeRows } from '#kernels/grid/plane-transform.ts';
import { listMarks } from '#kernels/grid/slice-marks.ts';
import type { Canvas2D } from '#kernels/overlay/canvas.ts';
import { paintMagnification, paintThicknesses } from '#kernels/overlay/paint-mark-numbers.ts';
import { drawLines } from '#kernels/picture/draw-lines.ts';
import type { Pane } from '#kernels/picture/pane.ts';
import { readColours } from '../pictures/surface-picture.ts';
import type { ShownSurface } from '../shown-surface.ts';
import type { SliceDrawing } from './draw-slice.ts';

type Ink = readonly [number, number, number];
type DrawnSurface = ShownSurface & { scalars: readonly LimitedScalar[] };

// As in the viewer.
const linePx = 2;
const haloPx = 3.5;
const light = { ink: [236, 240, 245], opacity: 0.55 } as const;
const dark = { ink: [8, 10, 12], opacity: 0.78 } as const;
const plainInk = [0xe3, 0xe8, 0xee] as const;
const missingInk = [0x9e, 0x9e, 0x9e] as const;

/**
 * Draws where a slice cuts the surface, in the surface's colours, and the marks beside it that the state asks for.
 * @param canvas over the pane, for the numbers of the marks
 */
export function drawCut(
  { pane, canvas, scale }: { pane: Pane; canvas: Canvas2D; scale: number },
  surface: DrawnSurface,
  { name, grid, view, positionMm }: Pick<SliceDrawing, 'name' | 'grid' | 'view' | 'positionMm'>,
  { surface: look, slices }: Pick<ViewState, 'surface' | 'slices'>,
): void {
  const { mesh } = surface;
  const scalar = surface.scalars.find((each) => each.name === look.scalar);
  const kind = scalar?.marks;
  const isMarked = kind !== undefined && slices[kind];
  if (!slices.surface && !isMarked) return;
  const rows = planeRows(grid, name, positionMm);
  const cut = cutSurface(mesh, rows);
  const { vertexAreasMm2, normals } = vertexAreasAndNormals(mesh);
  const { values, range } = readColours(surface, look, vertexAreasMm2);
  const limits = range ?? ([0, 1] as const);
  const lut = colorMap(look.map);
  const isLeftOut = (value: number) =>
    value === missingValue || (look.brush !== null && (value < look.brush[0] || value > look.brush[1]));
  const chooseInk = (value: number): Ink => {
    if (isLeftOut(value)) return missingInk;
    const at = 3 * colorIndex(value, ...limits);
    return [lut[at] ?? 0, lut[at + 1] ?? 0, lut[at + 2] ?? 0];
  };
  const draw = (lines: MarkLines, halo: typeof light | typeof dark, inkAt: (point: number) => Ink) => {
    drawLines(pane, view, lines, {
      widthPx: haloPx * scale,
      opacity: halo.opacity,
      inkAt: () => halo.ink,
    });
    drawLines(pane, view, lines, { widthPx: linePx * scale, opacity: 1, inkAt });
  };
  if (slices.surface) {
    const along = values && valuesAlongCut(cut, values, missingValue);
    draw(cut, values ? light : dark, (point) => {
      if (!along) return plainInk;
      const [a, b] = [along[point] ?? missingValue, along[point + 1] ?? missingValue];
      return a === missingValue || b === missingValue ? missingInk : chooseInk((a + b) / 2);
    });
  }
  if (!isMarked || !values) return;
  const { positions } = mesh;
  const placed = { ...cut, rows, positions, normals, missing: missingValue };
  const asked = { kind, range: limits, magnification: slices.magnification ?? undefined };
  const marks = listMarks(placed, values, view, asked, mmPerPixel(view) * scale);
  const pointsEach = marks.lines.starts[1] ?? 1;
  draw(marks.lines, dark, (point) => chooseInk(marks.values[Math.floor(point / pointsEach)] ?? missingValue));
  const cssView = { ...view, widthPx: view.widthPx / scale, heightPx: view.heightPx / scale };
  if (kind === 'walls')
    paintThicknesses(canvas, cssView, marks, (value) => formatQuantity(value, scalar?.unit ?? ''));
  else paintMagnification(canvas, cssView, marks.magnification);
}
