import { type ObliquePlane, resamplePlane } from '#kernels/grid/oblique-plane.ts';
import { extentMm, gridMmToWorld, mmPerPixel, paneToPlane } from '#kernels/grid/plane-transform.ts';
import { minus } from '#kernels/grid/vectors.ts';
import type { Grid, VoxelArray } from '#kernels/grid/volume.ts';
import { CutPlane } from './cut-plane.ts';
import type { PlaneCutter, PlaneTile, ShownPlane } from './plane-loader.ts';
import type { SlicePlane } from './slice-source.ts';

/** Samples lie at the pixels of the pane, so that values are interpolated only once, between voxels. */
export const cutOblique = (grid: () => Grid | null): PlaneCutter => ({
  name: ({ positionMm, view, scale }) => JSON.stringify([grid()?.directions, positionMm, view, scale]),
  cut: (preview, shown, isWhole, former) => {
    const oblique = placePixels(grid() ?? preview, shown);
    const frame = { ...layOut(shown, oblique), exact: isWhole };
    const read = (kept: VoxelArray | undefined) =>
      resamplePlane(preview, oblique, kept instanceof Float32Array ? kept : undefined);
    return new CutPlane(frame, { volume: preview, cut: { oblique } }, read, former);
  },
  stepMm: () => grid()?.voxelSizeMm[2] ?? 0,
  isLighter: false,
  listTiles: (_, shown, level) => {
    const turned = grid();
    if (!turned) return [];
    const [lowest, highest] = extentMm(turned, 2);
    if (shown.positionMm < lowest || shown.positionMm > highest) return [];
    const { positionMm, view, scale } = shown;
    const ask: PlaneTile['ask'] = async (source, signal) => {
      const plane = placePixels(turned, shown);
      const values = await source.sample(plane, level, signal);
      return { ...layOut(shown, plane), values, exact: level === 0 };
    };
    return [{ name: JSON.stringify([turned.directions, positionMm, view, scale, level]), ask }];
  },
});

/** The centres of the pane's pixels in the world, rows from the bottom. */
export function placePixels(turned: Grid, { positionMm, view, scale }: ShownPlane): ObliquePlane {
  const [width, height] = [Math.round(view.widthPx * scale), Math.round(view.heightPx * scale)];
  const placeAt = (x: number, y: number) =>
    gridMmToWorld(turned, [...paneToPlane(view, (x + 0.5) / scale, (height - y - 0.5) / scale), positionMm]);
  const originMm = placeAt(0, 0);
  const [uMm, vMm] = [minus(placeAt(1, 0), originMm), minus(placeAt(0, 1), originMm)];
  return { originMm, uMm, vMm, width, height };
}

function layOut(
  { view, scale }: ShownPlane,
  { width, height }: ObliquePlane,
): Omit<SlicePlane, 'exact' | 'values'> {
  const stepMm = mmPerPixel(view) / scale;
  const originMm = paneToPlane(view, 0.5 / scale, (height - 0.5) / scale);
  return { width, height, originMm, spacingMm: [stepMm, stepMm] };
}
