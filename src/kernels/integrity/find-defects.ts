import type { Arena } from '../arena.ts';
import type { SlabSource, Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import type { KernelPool } from '../pool.ts';
import {
  allocateBits,
  combineBits,
  countBits,
  makeBitGrid,
  type StageOptions,
  thresholdBits,
} from './bit-grid.ts';
import type { BitGrid } from './bit-layout.ts';
import { findComponents, listRuns, paintComponent } from './components.ts';
import { copyRegion, findCutVoids, listCutSides, type RegionSide } from './cut-voids.ts';
import { findHollows, type Hollows, widerBall } from './hollows.ts';
import { type DefectGroup, type DefectSearch, type GroupPart, measureGroup } from './measure-group.ts';
import { findOpenVoids, marginForBall } from './open-voids.ts';
import { findSheets, type Sheets } from './sheets.ts';

export interface DefectResult {
  voids: DefectGroup;
  inclusions: DefectGroup | null;
  /** where the part goes on beyond the region */
  cutSides: RegionSide[];
  /** of the surface, which may be voids too; null where open voids are not looked for */
  hollows: Hollows | null;
}

/** Below balls that grow from one of so many cells, steps and pockets of the part would be hollows, too. */
const mostCells = 8;
/** Of a wider opening that was asked for: the ball passes over hollows that are shallower than itself, voids or not. */
const usualCells = 5;
/**
 * Voids (and inclusions) of a region, measured. Air that is connected with the outside never counts; of it, only what the
 * rolling ball can't reach is a void, open to the surface. What the border of the region cuts counts with what lies within.
 * Components touch by corners too (26): a void that is thinner than a cell's diagonal must not fall apart; so material
 * is parted by 6.
 * @throws KernelError NO_SURFACE without any material, TOO_LARGE
 */
export async function findDefects(
  source: SlabSource,
  pool: KernelPool,
  arena: Arena,
  search: DefectSearch,
): Promise<DefectResult> {
  const { cells, levels, signal, slabPlanes, openingRadiusMm } = search;
  const spacingMm = source.grid.voxelSizeMm;
  const size = [0, 1, 2].map((k) => cells.to[k] - cells.from[k]) as Vector3;
  const edgeMm = Math.max(...spacingMm);
  const isWide = openingRadiusMm !== null && openingRadiusMm > mostCells * edgeMm;
  const hollowMm = isWide ? usualCells * edgeMm : (openingRadiusMm ?? 0);
  const largestMm = openingRadiusMm === null ? null : Math.max(openingRadiusMm, widerBall * hollowMm);
  const margin: Vector3 = largestMm === null ? [3, 3, 3] : marginForBall(largestMm, spacingMm);
  const grid = makeBitGrid(arena, size, margin);
  const at = (stage: string, from: number, share: number): StageOptions => ({
    signal,
    slabPlanes,
    progress: (fraction) => search.onStage?.(stage, from + share * fraction),
  });
  const { inclusionLevel = null } = search;
  const thresholds = [
    { level: levels.level, keep: 'air' as const },
    ...(inclusionLevel === null ? [] : [{ level: inclusionLevel, keep: 'above' as const }]),
  ];
  const [air, heavy] = await thresholdBits(
    source,
    { cells, thresholds },
    grid,
    pool,
    arena,
    at('Reading the scan', 0, 0.25),
  );
  const [outside, voids] = [allocateBits(arena, grid), allocateBits(arena, grid)];
  const total = grid.words * 64 * grid.rows * grid.planes;
  const materialVoxels = total - (await countBits(grid, air, pool, arena, at('Outside', 0.25, 0)));
  if (materialVoxels === 0) {
    throw new KernelError(
      'NO_SURFACE',
      `No voxel of the region lies above the threshold ${levels.level}: there is no material.`,
    );
  }
  const cutSides = listCutSides(arena, grid, air);
  const { isOpen, hollows } = await partOutside(
    { ...search, hollowMm, isWide },
    source,
    { grid, air, materialVoxels, cutSides, outside, voids },
    pool,
    arena,
    at,
  );
  const group = async (phase: number, bits: number, others: number, part: GroupPart) => {
    const inner = arena.mark();
    const result = await measureGroup(
      {
        source,
        grid,
        search,
        pool,
        arena,
        phase,
        bits,
        others,
        outerAir,
        seenOuterAir,
        outside,
        cutSides,
        ...part,
      },
      at,
    );
    arena.release(inner);
    return result;
  };
  // `outerAir` is the air that belongs to no void.
  const outerAir = allocateBits(arena, grid);
  const stage = at('Voids', 0.53, 0);
  // What is air and not outside is a void, and so is what of the outside is open to it only.
  if (isOpen)
    await combineBits(grid, { a: outside, make: 'without', b: voids, target: outerAir }, pool, arena, stage);
  else await combineBits(grid, { a: outside, make: 'or', b: outside, target: outerAir }, pool, arena, stage);
  const seenOuterAir = cutSides.length > 0 ? allocateBits(arena, grid) : outerAir;
  if (cutSides.length > 0) await copyRegion(grid, outerAir, seenOuterAir, pool, arena, stage);
  await combineBits(grid, { a: air, make: 'without', b: outerAir, target: voids }, pool, arena, stage);
  // Sheets too thin for the threshold are voids of their own, or bridge the pieces of one.
  let sheets: Sheets | null = null;
  if (search.cracks) {
    const target = allocateBits(arena, grid);
    const request = { outside: outerAir, levels, ...search.cracks, target };
    sheets = await findSheets(source, grid, { ...request, cells }, pool, arena, at('Cracks', 0.53, 0.2));
    await combineBits(grid, { a: voids, make: 'or', b: target, target: voids }, pool, arena, stage);
    await combineBits(grid, { a: air, make: 'or', b: target, target: air }, pool, arena, stage);
  }
  const shares = inclusionLevel === null ? 1 : 0.5;
  const found = await group(air, voids, outerAir, {
    kind: 'porosity',
    from: 0.54,
    share: 0.44 * shares,
    grey: null,
    level: levels.level,
    faintAbove: null,
    sheets,
  });
  let inclusions: DefectGroup | null = null;
  if (heavy !== undefined && inclusionLevel !== null) {
    inclusions = await group(heavy, heavy, air, {
      kind: 'inclusion',
      from: 0.76,
      share: 0.22,
      grey: search.inclusionGrey ?? null,
      level: inclusionLevel,
      faintAbove: search.isFaint ? inclusionLevel : null,
      sheets: null,
    });
  }
  return { voids: found, inclusions, cutSides, hollows };
}

interface Air {
  grid: BitGrid;
  /** bits: all air; what becomes the outside, and voids that are open to it */
  air: number;
  outside: number;
  voids: number;
  materialVoxels: number;
  cutSides: readonly RegionSide[];
}

/**
 * Parts the air outside from voids, and from it what is open to it only through narrow openings.
 * @returns whether there are such open voids, and what of the surface may be voids too
 */
async function partOutside(
  { openingRadiusMm, onStage, hollowMm, isWide }: DefectSearch & { hollowMm: number; isWide: boolean },
  { grid: { voxelSizeMm: spacingMm } }: SlabSource,
  { grid, air, outside, voids, materialVoxels, cutSides }: Air,
  pool: KernelPool,
  arena: Arena,
  at: (stage: string, from: number, share: number) => StageOptions,
): Promise<{ isOpen: boolean; hollows: Hollows | null }> {
  const mark = arena.mark();
  onStage?.('Outside', 0.27);
  const stage = at('Outside', 0.27, 0.05);
  let isAny = false;
  // Until they are needed for open voids, their bits hold the cut ones, and then the air that these are not.
  if (cutSides.length > 0)
    isAny = await findCutVoids(grid, { air, materialVoxels, target: voids }, pool, arena, stage);
  if (isAny)
    await combineBits(grid, { a: air, make: 'without', b: voids, target: voids }, pool, arena, stage);
  const airParts = await findComponents(grid, isAny ? voids : air, 26, pool, arena, stage);
  await paintComponent(grid, airParts, outside, pool, arena, at('Outside', 0.3, 0));
  arena.release(mark);
  if (openingRadiusMm === null) return { isOpen: false, hollows: null };
  // What is air and not outside is little: meanwhile it is a list, and its bits are free.
  await combineBits(grid, { a: air, make: 'without', b: outside, target: air }, pool, arena, stage);
  const enclosed = await listRuns(grid, air, pool, arena, stage);
  const options = { ...at('Open voids', 0.32, 0.2), radiusMm: openingRadiusMm, spacingMm, scratch: air };
  const isOpen = await findOpenVoids(grid, outside, voids, pool, arena, options);
  const found = await findHollows(grid, { outside, voids, isOpen, isWide }, pool, arena, {
    ...options,
    radiusMm: hollowMm,
  });
  await paintComponent(grid, enclosed, air, pool, arena, stage);
  await combineBits(grid, { a: air, make: 'or', b: outside, target: air }, pool, arena, stage);
  arena.release(mark);
  return found;
}
