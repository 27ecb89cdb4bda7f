import type { ViewState } from '#contract/shapes/view-state.ts';
import { colorIndex, colorMap } from '#kernels/color/maps.ts';
import { vertexAreasAndNormals } from '#kernels/color/vertex-areas.ts';
import { missingValue } from '#kernels/color/weighted-histogram.ts';
import { cutSurface, valuesAlongCut } from '#kernels/grid/cut-surface.ts';
import { planeRows } from '#kernels/grid/plane-transform.ts';
import { drawLines } from '#kernels/picture/draw-lines.ts';
import type { Pane } from '#kernels/picture/pane.ts';
import { type ColouredSurface, readColours } from '../pictures/surface-picture.ts';
import type { SliceDrawing } from './draw-slice.ts';

// As in the viewer.
const linePx = 2;
const haloPx = 3.5;
const light = { ink: [236, 240, 245], opacity: 0.55 } as const;
const dark = { ink: [8, 10, 12], opacity: 0.78 } as const;
const plainInk = [0xe3, 0xe8, 0xee] as const;
const missingInk = [0x9e, 0x9e, 0x9e] as const;

/** Draws where a slice cuts the surface, in the surface's colours. */
export function drawCut(
  pane: Pane,
  surface: ColouredSurface,
  { name, grid, view, positionMm }: Pick<SliceDrawing, 'name' | 'grid' | 'view' | 'positionMm'>,
  { surface: look }: Pick<ViewState, 'surface'>,
  scale: number,
): void {
  const { mesh } = surface;
  const cut = cutSurface(mesh, planeRows(grid, name, positionMm));
  const { values, range } = readColours(surface, look, vertexAreasAndNormals(mesh).vertexAreasMm2);
  const halo = values ? light : dark;
  drawLines(pane, view, cut, { widthPx: haloPx * scale, opacity: halo.opacity, inkAt: () => halo.ink });
  const along = values && valuesAlongCut(cut, values, missingValue);
  const lut = colorMap(look.map);
  const [low, high] = range ?? [0, 1];
  const isLeftOut = (value: number) =>
    value === missingValue || (look.brush !== null && (value < look.brush[0] || value > look.brush[1]));
  const inkAt = (point: number): readonly [number, number, number] => {
    if (!along) return plainInk;
    const [a, b] = [along[point] ?? missingValue, along[point + 1] ?? missingValue];
    const middle = (a + b) / 2;
    if (a === missingValue || b === missingValue || isLeftOut(middle)) return missingInk;
    const at = 3 * colorIndex(middle, low, high);
    return [lut[at] ?? 0, lut[at + 1] ?? 0, lut[at + 2] ?? 0];
  };
  drawLines(pane, view, cut, { widthPx: linePx * scale, opacity: 1, inkAt });
}
