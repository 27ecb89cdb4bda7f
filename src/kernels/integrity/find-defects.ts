import type { Arena } from '../arena.ts';
import type { SlabSource, Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import { allocateBits, combineBits, countBits, makeBitGrid, thresholdBits } from './bit-grid.ts';
import type { BitStage } from './bit-stage.ts';
import { findComponents, listRuns, paintComponent } from './components.ts';
import { copyRegion, countDoubtfulAir, findCutVoids, listCutSides, type RegionSide } from './cut-voids.ts';
import { findHollows, type Hollows, widerBall } from './hollows.ts';
import { type DefectGroup, type DefectSearch, type GroupPart, measureGroup } from './measure-group.ts';
import { findBallMargin, findOpenVoids } from './open-voids.ts';
import { findSheets, type Sheets } from './sheets.ts';

export interface DefectResult {
  voids: DefectGroup;
  inclusions: DefectGroup | null;
  /** sides where the part continues beyond the region */
  cutSides: RegionSide[];
  /** cells of air at the border that counts as outside and may be voids */
  doubtfulVoxels: number;
  /** hollows of the surface that may be voids, too; null when open voids are not searched */
  hollows: Hollows | null;
}

/**
 * When the search for hollows starts from a ball larger than this many cells, steps and pockets of the part would be
 * found as well.
 */
const maxCells = 8;
/**
 * Radius in cells for that search when a wider opening was requested. The wide ball passes over hollows shallower than
 * itself, whether they are voids or not.
 */
const usualCells = 5;
/**
 * Finds and measures the voids (and inclusions) of a region. Air connected with the outside does not count, except for
 * what the rolling ball cannot reach: a void that is open to the surface. Defects cut by the border of the region count
 * with the part that lies inside. Components are 26-connected, because a void thinner than a cell's diagonal must not
 * fall apart; material is therefore separated by 6-connectivity.
 * @throws KernelError NO_SURFACE without any material, TOO_LARGE
 */
export async function findDefects(
  source: SlabSource,
  arena: Arena,
  search: DefectSearch,
): Promise<DefectResult> {
  const { cells, levels, slabPlanes, openingRadiusMm } = search;
  const spacingMm = source.grid.voxelSizeMm;
  const size = [0, 1, 2].map((k) => cells.to[k] - cells.from[k]) as Vector3;
  const edgeMm = Math.max(...spacingMm);
  const isWide = openingRadiusMm !== null && openingRadiusMm > maxCells * edgeMm;
  const hollowMm = isWide ? usualCells * edgeMm : (openingRadiusMm ?? 0);
  const largestMm = openingRadiusMm === null ? null : Math.max(openingRadiusMm, widerBall * hollowMm);
  const margin: Vector3 = largestMm === null ? [3, 3, 3] : findBallMargin(largestMm, spacingMm);
  const grid = makeBitGrid(arena, size, margin);
  const at = (stage: string, from: number, share: number): BitStage => ({
    grid,
    arena,
    slabPlanes,
    progress: (fraction) => search.onStage?.(stage, from + share * fraction),
  });
  const { inclusionLevel = null } = search;
  const thresholds = [
    { level: levels.level, keep: 'air' as const },
    ...(inclusionLevel === null ? [] : [{ level: inclusionLevel, keep: 'above' as const }]),
  ];
  const [air, heavy] = await thresholdBits(source, { cells, thresholds }, at('Reading the scan', 0, 0.25));
  const [outside, voids] = [allocateBits(arena, grid), allocateBits(arena, grid)];
  const total = grid.words * 64 * grid.rows * grid.planes;
  const materialVoxels = total - (await countBits(air, at('Outside', 0.25, 0)));
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
    { air, materialVoxels, cutSides, outside, voids },
    at,
  );
  const group = async (phase: number, bits: number, others: number, part: GroupPart) => {
    const inner = arena.mark();
    const result = await measureGroup(
      { source, search, phase, bits, others, outerAir, seenOuterAir, outside, cutSides, ...part },
      at,
    );
    arena.release(inner);
    return result;
  };
  // `outerAir` is the air that belongs to no void.
  const outerAir = allocateBits(arena, grid);
  const stage = at('Voids', 0.53, 0);
  // Voids are the air that is not outside, plus the open voids.
  if (isOpen) await combineBits({ a: outside, make: 'without', b: voids, target: outerAir }, stage);
  else await combineBits({ a: outside, make: 'or', b: outside, target: outerAir }, stage);
  const seenOuterAir = cutSides.length > 0 ? allocateBits(arena, grid) : outerAir;
  if (cutSides.length > 0) await copyRegion(outerAir, seenOuterAir, stage);
  const doubtfulVoxels = cutSides.length > 0 ? await countDoubtfulAir(seenOuterAir, cutSides, stage) : 0;
  await combineBits({ a: air, make: 'without', b: outerAir, target: voids }, stage);
  // Sheets too thin for the threshold are voids of their own, or bridge the pieces of one.
  let sheets: Sheets | null = null;
  if (search.cracks) {
    const target = allocateBits(arena, grid);
    const request = { outside: outerAir, levels, ...search.cracks, target };
    sheets = await findSheets(source, { ...request, cells }, at('Cracks', 0.53, 0.2));
    await combineBits({ a: voids, make: 'or', b: target, target: voids }, stage);
    await combineBits({ a: air, make: 'or', b: target, target: air }, stage);
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
  return { voids: found, inclusions, cutSides, doubtfulVoxels, hollows };
}

interface Air {
  /** bits: all air; the outside (output); voids open to it (output) */
  air: number;
  outside: number;
  voids: number;
  materialVoxels: number;
  cutSides: readonly RegionSide[];
}

/**
 * Separates the outside air from voids, and from voids open to it only through narrow openings.
 * @returns whether there are open voids, and the hollows of the surface that may be voids, too
 */
async function partOutside(
  { openingRadiusMm, onStage, hollowMm, isWide }: DefectSearch & { hollowMm: number; isWide: boolean },
  { grid: { voxelSizeMm: spacingMm } }: SlabSource,
  { air, outside, voids, materialVoxels, cutSides }: Air,
  at: (stage: string, from: number, share: number) => BitStage,
): Promise<{ isOpen: boolean; hollows: Hollows | null }> {
  onStage?.('Outside', 0.27);
  const stage = at('Outside', 0.27, 0.05);
  const { arena } = stage;
  const mark = arena.mark();
  let isAny = false;
  // Until these bits are needed for open voids, they hold the cut voids, then the air without them.
  if (cutSides.length > 0) isAny = await findCutVoids({ air, materialVoxels, target: voids }, stage);
  if (isAny) await combineBits({ a: air, make: 'without', b: voids, target: voids }, stage);
  const airParts = await findComponents(isAny ? voids : air, 26, stage);
  await paintComponent(airParts, outside, at('Outside', 0.3, 0));
  arena.release(mark);
  if (openingRadiusMm === null) return { isOpen: false, hollows: null };
  // The air that is not outside is small, so it is kept as a list meanwhile and its bits are reused.
  await combineBits({ a: air, make: 'without', b: outside, target: air }, stage);
  const enclosed = await listRuns(air, stage);
  const options = { ...at('Open voids', 0.32, 0.2), radiusMm: openingRadiusMm, spacingMm, scratch: air };
  const isOpen = await findOpenVoids(outside, voids, options);
  const found = await findHollows({ outside, voids, isOpen, isWide }, { ...options, radiusMm: hollowMm });
  await paintComponent(enclosed, air, stage);
  await combineBits({ a: air, make: 'or', b: outside, target: air }, stage);
  arena.release(mark);
  return found;
}
