import { blurRows, filterRowMedians, type GreyRows, traceLevel } from '#kernels/grid/level-lines.ts';
import { estimateLevels, levelAt, type NearLevels } from '#kernels/grid/near-levels.ts';
import { gridMmToWorld, planeAxes, type SliceName } from '#kernels/grid/plane-transform.ts';
import { type BoxMm, findCell } from '#kernels/grid/region.ts';
import { type Grid, mapVector, type Vector3, type Volume } from '#kernels/grid/volume.ts';
import type { SlicePlane } from '../data/slice-source.ts';

/** Preview of a surface before it is determined: drawn on the slices. */
export interface SurfacePlan {
  /** lower grey value of each material, ascending; `local`: midway between air and material around each point */
  levels: readonly number[] | 'local';
  /** initial level for the search of local levels */
  firstLevel: number;
  /** grey values are filtered first, by a median and a Gaussian filter */
  median: boolean;
  sigmaVoxels: number;
  /** in the scan’s frame; null = all of it */
  region: BoxMm | null;
}

/** Line segments in grid mm along the pane's axes, four numbers each, per level. */
export type PlannedLines = readonly Float64Array[];

interface Traced {
  plan: SurfacePlan;
  plane: SlicePlane;
  lines: PlannedLines;
}

/** Contours of the planned surface on slices; the last ones of each pane are cached. */
export class PlannedSurface {
  #traced = new Map<SliceName, Traced>();
  #near: { volume: Volume; first: number; levels: NearLevels | null } | null = null;

  trace(plan: SurfacePlan, plane: SlicePlane, seen: SeenSlice): PlannedLines {
    const { name, grid } = seen;
    const last = this.#traced.get(name);
    if (last?.plan === plan && last.plane === plane) return last.lines;
    const rows = filterRows(plan, plane, Math.min(...grid.voxelSizeMm));
    const lines = this.#listLevels(plan, plane, seen).map((level) =>
      toMillimetres(traceLevel(rows, level), plane),
    );
    this.#traced.set(name, { plan, plane, lines });
    return lines;
  }

  #listLevels(plan: SurfacePlan, plane: SlicePlane, seen: SeenSlice): readonly (number | Float32Array)[] {
    if (plan.levels !== 'local') return plan.levels;
    const { preview } = seen;
    if (!preview) return [];
    if (this.#near?.volume !== preview || this.#near.first !== plan.firstLevel)
      this.#near = {
        volume: preview,
        first: plan.firstLevel,
        levels: estimateLevels(preview, plan.firstLevel),
      };
    const { levels } = this.#near;
    return [levels ? levelsOnPlane(levels, preview, plane, seen) : plan.firstLevel];
  }
}

/** A slice of a pane: its grid, and the position along its normal. */
interface SeenSlice {
  name: SliceName;
  grid: Grid;
  positionMm: number;
  /** of the volume; local levels are estimated from it */
  preview: Volume | null;
}

function filterRows({ median, sigmaVoxels }: SurfacePlan, plane: SlicePlane, voxelMm: number): GreyRows {
  const quiet = median ? filterRowMedians(plane) : plane;
  const [acrossMm, alongMm] = plane.spacingMm;
  const sigmaMm = sigmaVoxels * voxelMm;
  return sigmaVoxels > 0 ? blurRows(quiet, [sigmaMm / acrossMm, sigmaMm / alongMm]) : quiet;
}

function toMillimetres(pieces: Float64Array, { originMm, spacingMm }: SlicePlane): Float64Array {
  return pieces.map((place, i) => {
    const side = i % 2 === 0 ? 0 : 1;
    return originMm[side] + place * spacingMm[side];
  });
}

/** The local level at each point of a plane. */
function levelsOnPlane(
  near: NearLevels,
  preview: Volume,
  { width, height, originMm, spacingMm }: SlicePlane,
  { name, grid, positionMm }: SeenSlice,
): Float32Array {
  const axes = planeAxes[name];
  const voxelAt = (column: number, row: number): Vector3 => {
    const place: Vector3 = [0, 0, 0];
    place[axes.u] = originMm[0] + column * spacingMm[0];
    place[axes.v] = originMm[1] + row * spacingMm[1];
    place[axes.normal] = positionMm;
    return findCell(preview, gridMmToWorld(grid, place));
  };
  const [first, right, up] = [voxelAt(0, 0), voxelAt(1, 0), voxelAt(0, 1)];
  const levels = new Float32Array(width * height);
  for (let row = 0, i = 0; row < height; row++) {
    for (let column = 0; column < width; column++, i++) {
      levels[i] = levelAt(
        near,
        mapVector(first, (at, k) => at + column * (right[k] - at) + row * (up[k] - at)),
      );
    }
  }
  return levels;
}
