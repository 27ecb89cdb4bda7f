import type { KernelPool } from '../arena.ts';
import { medianFiltered } from '../grid/median-filter.ts';
import { wholeGrid } from '../grid/region.ts';
import { summarizeVolume } from '../grid/summarize.ts';
import { makeSlabs, type Vector3, type Volume } from '../grid/volume.ts';
import type { MeshFacts } from '../mesh/measure.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { extractSurface, makeMesh } from '../surface/extract.ts';
import { fairSurface } from '../surface/fair-surface.ts';
import { findLevelOfPlaces } from '../surface/level-places.ts';
import { openGrid } from '../surface/load-grid.ts';
import { measureSurface } from '../surface/measure-surface.ts';
import { edgeWeights, placeEdges, refineSurface } from '../surface/refine-surface.ts';
import { findNoiseShare, smoothingFor } from '../surface/smoothing.ts';
import { type SurfaceChoice, surfaceLevel } from '../surface/surface-level.ts';
import { measureThinWalls } from '../thickness/thin-walls.ts';
import { measureThickness, wallSmoothing } from '../thickness/wall-thickness.ts';

export interface MeasureOptions {
  /**
   * smoothing as in the analyses; by default chosen from the noise, `raw` as in the alignment, `faired` as in the
   * comparison
   */
  smoothing?: 'auto' | 'raw' | 'faired' | number;
  surface?: SurfaceChoice;
  /** after the median filter */
  median?: boolean;
  method?: 'sphere' | 'ray';
  searchAngleDeg?: number;
  slabPlanes?: number;
  batch?: number;
  layersAtOnce?: number;
  /** minimum number of vertices per piece of a surface */
  pieceVertices?: number;
  /** planes per window in which the grid is loaded into memory; the whole grid by default */
  windowPlanes?: number;
}

/** Measures a volume: its mesh, the mesh's facts and, when a method is given, the wall thickness at each vertex. */
export async function measureBody(
  volume: Volume,
  pool: KernelPool,
  options: MeasureOptions = {},
): Promise<{ mesh: TriangleMesh; facts: MeshFacts; thicknessMm: Float32Array }> {
  const source = options.median ? medianFiltered(makeSlabs(volume), pool) : makeSlabs(volume);
  const { histogram, range } = await summarizeVolume(source, pool);
  const surfaceChoice = options.surface ?? { mode: 'iso50' };
  const cells = wholeGrid(source.grid);
  const level = await findLevelOfPlaces(source, surfaceLevel(histogram, range, surfaceChoice), {
    cells,
    ...surfaceChoice,
  });
  const planes = options.slabPlanes === undefined ? {} : { slabPlanes: options.slabPlanes };
  const choice = options.smoothing ?? 'auto';
  const isUnfiltered = choice === 'raw' || choice === 'faired';
  return pool.withArena(async (arena) => {
    const { filter } = await smoothingFor(source, isUnfiltered ? 0 : choice, {
      ...level,
      cells,
      ...(options.method ? wallSmoothing : {}),
    });
    const gridOptions = {
      ...level,
      cells,
      range,
      smoothing: filter,
      straight: options.method !== undefined,
      ...planes,
    };
    const { windowPlanes } = options;
    const grey = await openGrid(source, arena, { ...gridOptions, windowPlanes });
    const grid = grey.layout;
    const edgesAfter = edgeWeights(filter);
    const surface = await extractSurface(grey, arena, { ...planes, edgesAfter });
    if (!options.method && choice === 'auto') {
      const { pieceVertices: fewest } = options;
      await refineSurface(grey, surface, filter, arena, { isShapeKept: false, fewest });
    }
    if (isUnfiltered) {
      const noise = choice === 'raw' ? await findNoiseShare(source, { ...level, cells }) : undefined;
      await placeEdges(grey, surface, arena, { noiseShare: noise });
    }
    if (choice === 'faired') {
      await fairSurface(grid, surface, arena, options.pieceVertices);
    }
    const { vertices } = surface;
    const measured = await measureSurface(grid, surface, arena, options.pieceVertices);
    const place = async () => {
      const { mesh, boundsMm } = await makeMesh(arena, surface, { grid: source.grid, cells });
      return { mesh, facts: { ...measured, boundsMm } };
    };
    if (!options.method) return { ...(await place()), thicknessMm: new Float32Array(0) };
    const { method, batch, layersAtOnce, searchAngleDeg } = options;
    const between = await measureThickness(grey, surface, arena, {
      method,
      batch,
      layersAtOnce,
      searchAngleDeg,
    });
    await measureThinWalls(source, { surface, grid, cells, level }, between, arena);
    const { thickness } = between;
    return { ...(await place()), thicknessMm: Float32Array.from(arena.floats(thickness, vertices)) };
  });
}

/**
 * Mean, standard deviation and largest error of the thickness where the true wall is known, in voxels of the smallest
 * edge.
 */
export function thicknessErrors(
  { mesh, thicknessMm }: { mesh: TriangleMesh; thicknessMm: Float32Array },
  volume: Volume,
  trueThicknessMm: (pointMm: Vector3, normal: Vector3) => number | null,
): { count: number; mean: number; sd: number; largest: number } {
  const voxelMm = Math.min(...volume.voxelSizeMm);
  const triple = (values: Float32Array, v: number): Vector3 => [
    values[3 * v],
    values[3 * v + 1],
    values[3 * v + 2],
  ];
  let [count, sum, squares, largest] = [0, 0, 0, 0];
  for (let v = 0; v < thicknessMm.length; v++) {
    const truth = trueThicknessMm(triple(mesh.positions, v), triple(mesh.normals as Float32Array, v));
    if (truth === null) continue;
    const error = (thicknessMm[v] - truth) / voxelMm;
    count++;
    sum += error;
    squares += error * error;
    largest = Math.max(largest, Math.abs(error));
    if (Number.isNaN(error)) largest = Number.NaN;
  }
  const mean = sum / count;
  return { count, mean, sd: Math.sqrt(Math.max(0, squares / count - mean ** 2)), largest };
}
