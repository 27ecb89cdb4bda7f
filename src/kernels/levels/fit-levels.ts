import type { Arena, KernelPool } from '../arena.ts';
import { scaleField } from '../grid/level-field.ts';
import type { LevelField, SlabSource, Vector3 } from '../grid/volume.ts';
import { solveSymmetric } from '../linear/least-squares.ts';
import { inPieces } from '../pool.ts';
import { kernelTasks, type OnArena, type Task } from '../task.ts';
import {
  brickBlocks,
  countSteepness,
  listBricks,
  moments,
  steepnessBins,
  steepnessShift,
  sumEdges,
} from './bricks.ts';
import { blurWindows, type FitTurn, fitBricks, levelsOfEdges } from './fit-bricks.ts';
import { workingCells } from './working-cells.ts';

/** The levels of bricks, x fastest. */
export interface BrickLevels {
  nodes: Vector3;
  /** cells of the volume along each edge of a brick */
  brickCells: number;
  /** grey values */
  air: Float32Array;
  /** material above air, in grey values */
  contrast: Float32Array;
  /** 1 where the material's level is from nearby, 0 where it is extrapolated */
  told: Uint8Array;
}

export interface LocalLevels {
  bricks: BrickLevels;
  /** computed from the bricks */
  field: LevelField;
  /** grey values of air and material, as means over the surface */
  air: number;
  material: number;
  /**
   * share of the surface with material deep enough beside it to determine its level; elsewhere the level is
   * extrapolated
   */
  localShare: number;
  /** spread of the contrast over the surface (95th minus 5th percentile), as a share of its mean */
  contrastSpread: number;
  /** spread of the air level over the surface (95th minus 5th percentile), as a share of the mean contrast */
  airSpread: number;
  /**
   * the same for both together after subtracting a plane, which linear fits follow: the curvature of the levels; absent
   * in surfaces of earlier versions
   */
  bend?: number | undefined;
}

export interface LevelOptions {
  /** lowest and highest finite grey value; NaN counts as the lowest */
  range: readonly [number, number];
  progress?: (fraction: number) => void;
}

/** Squared factors by which an edge is steeper than the median, and relative to the steepest places. */
const [steeperThanMedian, steeperThanMost] = [16, 0.04];
/** The steepest places are exceeded by this many others, or this share of all, so that single outliers do not count. */
const [minSteep, steepShare] = [50, 1e-5];
/** Residuals are fitted twice: a line through curved levels is off by a part that these fits restore. */
const turns: FitTurn[] = ['mean', 'line', 'rest', 'rest'];
/** Layers of bricks per task. */
const layersAtOnce = 4;
/** Thresholds for deep material and deep air, as shares of the contrast, once both levels are known. */
const [materialFrom, airTo] = [0.75, 0.25];

/**
 * The grey values of air and of material at every place of a volume, however they vary (cupping, ramps, shading).
 * Starts with edges, whose steepest places lie midway between both sides (after Yanowitz, Bruckstein 1989); then
 * alternately selects places deep in air and in material and fits each phase linearly within a window around each
 * brick. O(cells); reads the volume once, or a coarser level of it. The result does not depend on the number of
 * threads.
 * @returns null when no edge stands out, or no place is deep enough in the part to determine its level
 * @see https://doi.org/10.1016/S0734-189X(89)80017-9
 */
export function fitLevels(
  source: SlabSource,
  pool: KernelPool,
  { range, progress }: LevelOptions,
): Promise<LocalLevels | null> {
  return pool.withArena(async (arena) => {
    const working = await workingCells(source, range, arena);
    progress?.(0.5);
    const { cells, step } = working;
    if (Math.min(...cells) < 2 * brickBlocks) return null;
    const bricks = listBricks(cells);
    const count = bricks[0] * bricks[1] * bricks[2];
    const each = <Input extends OnArena>(
      task: Task<Input, void>,
      makeInput: (from: number, to: number, lane: number) => NoInfer<Omit<Input, 'memory'>>,
    ) =>
      inPieces(arena, { from: 0, to: bricks[2], size: layersAtOnce }, (from, to, lane) =>
        arena.run(task, makeInput(from, to, lane)),
      );
    const counts = Array.from({ length: arena.threads }, () => allocateZeros(arena, 4 * steepnessBins));
    await each(countSteepness, (from, to, lane) => ({ ...working, from, to, counts: counts[lane] }));
    const least = minSteepness(counts.map((at) => arena.integers(at, steepnessBins)));
    if (least === null) return null;
    const edges = allocateZeros(arena, 16 * count);
    await each(sumEdges, (from, to) => ({ ...working, from, to, least, sums: edges }));
    const [above, below] = [0, 1].map(() => allocateZeros(arena, 4 * count));
    const sums = allocateZeros(arena, 16 * moments * count);
    const levels = allocateZeros(arena, 16 * count);
    const reach = step > 1 ? 1 : 2;
    const windows = [0, 1].map(() => allocateZeros(arena, 16 * moments * count));
    const fit = { bricks, cells, edges, sums, windows, levels };
    await arena.run(levelsOfEdges, { ...fit, above, below });
    const [nx, ny, nz] = cells;
    const [bx, by, bz] = bricks;
    const { means, smoothed: values } = working;
    const blocks = arena.place('LevelCells', { nx, ny, nz, bx, by, bz, means, values, above, below });
    const deepBytes = (brickBlocks * layersAtOnce + 2 * reach) * ny * (nx + 48) + 12 * nx + 4 * bx + 192;
    const scratch = Array.from({ length: arena.threads }, () => allocateZeros(arena, deepBytes));
    for (const [pass, turn] of turns.entries()) {
      const isFirst = Number(turn !== 'rest');
      const deep = { cells: blocks, reach, isFirst, sums };
      await each(kernelTasks.sumDeep, (from, to, lane) => ({ ...deep, from, to, scratch: scratch[lane] }));
      await blurWindows(fit, arena);
      const found = await arena.run(fitBricks, { ...fit, turn });
      if (!found) return null;
      const [air, contrast] = [arena.floats(levels, count), arena.floats(levels + 4 * count, count)];
      const [upper, lower] = [arena.floats(above, count), arena.floats(below, count)];
      for (let i = 0; i < count; i++) {
        upper[i] = air[i] + materialFrom * contrast[i];
        lower[i] = air[i] + airTo * contrast[i];
      }
      progress?.(0.6 + (0.4 * (pass + 1)) / turns.length);
    }
    return summarized(arena, levels, edges, bricks, step * brickBlocks);
  });
}

function allocateZeros(arena: Arena, bytes: number): number {
  const address = arena.allocate(bytes, 'The local levels');
  arena.bytes(address, bytes).fill(0);
  return address;
}

/** Squared central difference from which a place is an edge; null when nothing stands out from the noise. */
function minSteepness(counts: readonly Uint32Array[]): number | null {
  const sum = counts[0].slice();
  for (const each of counts.slice(1)) for (let bin = 0; bin < sum.length; bin++) sum[bin] += each[bin];
  const total = sum.reduce((all, count) => all + count, 0);
  const readSteepness = (bin: number) => new Float32Array(Uint32Array.of(bin << steepnessShift).buffer)[0];
  let [median, steepest] = [0, 0];
  const wanted = Math.max(minSteep, steepShare * total);
  for (let bin = 0, below = 0; bin < sum.length; bin++) {
    if (2 * below < total) median = bin;
    if (total - below >= wanted) steepest = bin;
    below += sum[bin];
  }
  const most = readSteepness(steepest);
  const least = Math.max(steeperThanMedian * readSteepness(median), steeperThanMost * most);
  return most > least ? least : null;
}

/** Field of the bricks, and statistics over the surface. */
function summarized(
  arena: Arena,
  levels: number,
  edges: number,
  nodes: Vector3,
  brickCells: number,
): LocalLevels {
  const count = nodes[0] * nodes[1] * nodes[2];
  const [air, contrast, near] = [0, 1, 2].map((k) => arena.floats(levels + 4 * k * count, count));
  const weights = arena.doubles(edges, 2 * count);
  const surface: SurfaceBrick[] = [];
  let [all, local, airs, contrasts] = [0, 0, 0, 0];
  for (let i = 0; i < count; i++) {
    const weight = weights[2 * i];
    if (weight === 0) continue;
    const [y, z] = [Math.floor(i / nodes[0]) % nodes[1], Math.floor(i / (nodes[0] * nodes[1]))];
    surface.push({ place: [1, i % nodes[0], y, z], air: air[i], contrast: contrast[i], weight });
    all += weight;
    local += weight * near[i];
    airs += weight * air[i];
    contrasts += weight * contrast[i];
  }
  const mean = contrasts / all;
  const [contrastSpread, airSpread] = (['contrast', 'air'] as const).map(
    (of) => findSpread(surface, (brick) => brick[of]) / mean,
  );
  const bends = (['contrast', 'air'] as const).map(
    (of) => findSpread(surface, findBends(surface, of)) / mean,
  );
  const bricks = {
    nodes,
    brickCells,
    air: Float32Array.from(air),
    contrast: Float32Array.from(contrast),
    told: Uint8Array.from(near),
  };
  return {
    bricks,
    field: scaleField(bricks),
    air: airs / all,
    material: (airs + contrasts) / all,
    localShare: local / all,
    contrastSpread,
    airSpread,
    bend: Math.hypot(...bends),
  };
}

interface SurfaceBrick {
  /** 1 and its indices along each axis */
  place: readonly [1, number, number, number];
  air: number;
  contrast: number;
  /** amount of surface in it */
  weight: number;
}

/** 95th minus 5th percentile over the surface. */
function findSpread(surface: readonly SurfaceBrick[], read: (brick: SurfaceBrick) => number): number {
  const sorted = surface
    .map((brick) => ({ value: read(brick), weight: brick.weight }))
    .sort((a, b) => a.value - b.value);
  const all = sorted.reduce((sum, { weight }) => sum + weight, 0);
  const at = (share: number) => {
    let below = 0;
    for (const { value, weight } of sorted) {
      below += weight;
      if (below >= share * all) return value;
    }
    return 0;
  };
  return at(0.95) - at(0.05);
}

/**
 * Residual from the best-fitting plane; the level itself when the surface lies in one plane of bricks, which leaves the
 * fit undetermined.
 */
function findBends(
  surface: readonly SurfaceBrick[],
  of: 'air' | 'contrast',
): (brick: SurfaceBrick) => number {
  const matrix = Array.from({ length: 4 }, () => new Array<number>(4).fill(0));
  const side = new Array<number>(4).fill(0);
  for (const { place, weight, ...levels } of surface)
    for (const [i, n] of place.entries()) {
      side[i] += weight * n * levels[of];
      for (const [j, m] of place.entries()) matrix[i][j] += weight * n * m;
    }
  const plane = solveSymmetric(matrix, side)?.[0];
  return (brick) =>
    plane ? brick[of] - brick.place.reduce((sum, n, k) => sum + n * plane[k], 0) : brick[of];
}
