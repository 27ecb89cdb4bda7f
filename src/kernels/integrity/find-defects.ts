import type { Arena } from '../arena.ts';
import type { CellBox } from '../grid/region.ts';
import type { LevelField, SlabSource, Vector3 } from '../grid/volume.ts';
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
import { type BitGrid, type Components, type ComponentTable, dropped } from './bit-layout.ts';
import { findComponents, listRuns, paintComponent } from './components.ts';
import { copyRegion, findCutVoids, listCutSides, type RegionSide } from './cut-voids.ts';
import { type Defect, describeDefect } from './describe-defect.ts';
import { findHollows, type Hollows, widerBall } from './hollows.ts';
import {
  type GreyLevels,
  gatherDefects,
  measureDefects,
  placeDefects,
  type RawMeasures,
} from './measure-defects.ts';
import type { DefectTriangles } from './measure-slab.ts';
import { findOpenVoids, marginForBall } from './open-voids.ts';
import type { DefectRuns } from './shape.ts';
import { findSheets, type Sheets } from './sheets.ts';
import { measureShellVolumes, type ShellVolume } from './shell-volumes.ts';
import { renumber, sumSheets, tabulate } from './tasks.ts';

export interface DefectSearch extends StageOptions {
  cells: CellBox;
  levels: GreyLevels;
  minVoxels: number;
  /** voxels across below which a defect is hardly found */
  limitVoxels: number;
  /** radius of the ball that tells open voids from the outside; null = voids that are open are not looked for */
  openingRadiusMm: number | null;
  /** whether thin voids are sought, those of an opening below a voxel among them */
  cracks?: { noise: number; range: [number, number] } | null;
  /** grey value above which material is an inclusion; null = none are looked for */
  inclusionLevel?: number | null;
  inclusionGrey?: number | null;
  /** nothing tells that grey value: each inclusion's volume follows from its own cells */
  isFaint?: boolean;
  /** what the volumes of closed voids are integrated from */
  shells: {
    /** the scan as it is, whatever filter and scale voids are found on */
    source: SlabSource;
    /** its grey values of air and material, and what brings it onto the scale of local levels, where there is one */
    levels: { air: number; material: number };
    field: LevelField | null;
    /** standard deviation of the edges, in cells */
    blur: number;
    /** how much the level of material differs from place to place, as a share of its height above air */
    levelSpread: number;
    /** how far the levels may be off beside that, likewise */
    levelError: number;
    /** what voids may lack of their contrast, as a share of it */
    paleShare: number;
    /** how far their faces may lie too far out, in cells */
    inward: number;
    /** column of cells of the scan that rings are centred on, and what volumes on it scatter by, in cells */
    axis: { at: readonly [number, number]; scatter: number };
    /** standard deviation as a share of the height of material above air; null = as it is deep in the material */
    noise: number | null;
  };
  /** how many triangles of the defects' surfaces are kept at most, about */
  maxTriangles: number;
  onStage?: (name: string, fraction: number) => void;
}

export interface DefectGroup {
  defects: Defect[];
  triangles: DefectTriangles[];
  /** the defect of each owner in the triangles */
  measures: RawMeasures;
  /** of the variance of closed voids' volumes, what is the same for all */
  commonShare: number;
}

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
/** More than these are no list of defects but a foam or noise. */
const mostDefects = 500_000;

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
      `No cell of the region lies above the threshold ${levels.level}: there is no material.`,
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

interface GroupPart {
  kind: 'porosity' | 'inclusion';
  from: number;
  share: number;
  /** grey value of a cell full of defect; null = that of air */
  grey: number | null;
  /** where its surface runs */
  level: number;
  /** of inclusions whose grey value nothing tells: the level that they lie above */
  faintAbove: number | null;
  sheets: Sheets | null;
}
interface GroupWork extends GroupPart {
  source: SlabSource;
  grid: BitGrid;
  search: DefectSearch;
  pool: KernelPool;
  arena: Arena;
  /** bits: what defects are made of, the defects, what competes for the cells around them, the air that is no defect */
  phase: number;
  bits: number;
  others: number;
  outerAir: number;
  /** of that, what lies in the region: beyond a side that cuts the part nobody knows */
  seenOuterAir: number;
  outside: number;
  cutSides: readonly RegionSide[];
}

async function measureGroup(
  work: GroupWork,
  at: (stage: string, from: number, share: number) => StageOptions,
): Promise<DefectGroup> {
  const { source, grid, search, pool, arena, bits, kind, from, share } = work;
  const stage = kind === 'inclusion' ? 'Inclusions' : 'Voids';
  const { signal } = search;
  const { memory } = arena;
  const components = await findComponents(grid, bits, 26, pool, arena, at(stage, from, 0));
  const mask = kind === 'inclusion' ? 0 : work.outside;
  const table = await pool.run(tabulate, { memory, grid, components, mask }, { signal });
  const kept = keptComponents(table, components, search.minVoxels);
  if (kept.length > mostDefects) {
    throw new KernelError(
      'TOO_LARGE',
      `${kept.length} defects were found and ${mostDefects} is the limit: this is a foam or noise. Raise the smallest defect, or choose another threshold or region.`,
    );
  }
  const map = new Uint32Array(components.count).fill(dropped);
  for (const [defect, number] of kept.entries()) map[number] = defect;
  await pool.run(
    renumber,
    { memory, numbers: components.numbers, runCount: components.runCount, map },
    { signal },
  );
  const totals = work.sheets
    ? await pool.run(
        sumSheets,
        { memory, grid, components, count: kept.length, pieces: work.sheets.pieces },
        { signal },
      )
    : null;
  let triangles = 0;
  let meshed = 0;
  // A surface has about six triangles for each cell of the cube's face of equal volume.
  while (meshed < kept.length) {
    triangles += 12 * table.voxels[kept[meshed]] ** (2 / 3) + 8;
    if (triangles > search.maxTriangles) break;
    meshed++;
  }
  const measures = await measureDefects(
    {
      source,
      cells: search.cells,
      grid,
      defects: components,
      count: kept.length,
      phase: work.phase,
      others: work.others,
      levels: { ...search.levels, level: work.level },
      meshed,
    },
    pool,
    arena,
    at('Measuring', from, share * 0.6),
  );
  const runs = await gatherDefects(grid, components, kept.length, pool, arena, { signal });
  const places = await placeDefects(
    {
      grid,
      runs,
      outside: work.seenOuterAir,
      spacingMm: source.grid.voxelSizeMm,
      isOpen: Uint8Array.from(kept, (number) => table.marked[number]),
    },
    pool,
    arena,
    at('Measuring', from + share * 0.6, share * 0.2),
  );
  const integrals =
    kind === 'inclusion'
      ? new Map<number, ShellVolume>()
      : await integrateVoids(
          work,
          table,
          kept,
          runs,
          measures,
          at('Measuring', from + share * 0.8, share * 0.2),
        );
  const defects = kept.map((number, defect) =>
    describeDefect(work, table, { number, defect }, measures, { ...places, integrals }, totals),
  );
  return { defects, triangles: measures.triangles, measures, commonShare: shareInCommon(integrals) };
}

/** Of thresholds that are off, all is the same for all. */
function shareInCommon(integrals: Map<number, ShellVolume>): number {
  let [common, all] = [0, 0];
  for (const each of integrals.values()) {
    common += each.common ** 2;
    all += each.uncertainty ** 2;
  }
  return all > 0 ? common / all : 1;
}

/** Of the material's level, a cell, until it is known: more than what local levels leave over. */
const slopeSpread = 0.01;
/** Cells from a void's cells below the level to where its blurred edge ends. */
const findReach = (blur: number) => Math.max(2.3, 0.8 + 2.5 * blur);

/** The volumes of closed voids against the material around them. */
function integrateVoids(
  { grid, search, pool, arena, phase }: GroupWork,
  table: ComponentTable,
  kept: readonly number[],
  runs: DefectRuns,
  { grey }: RawMeasures,
  options: StageOptions,
): Promise<Map<number, ShellVolume>> {
  const { shells, cells } = search;
  const { air, material, noise } = grey;
  const voids = kept.flatMap((number, defect) => {
    if (table.marked[number] === 1) return [];
    const corner = (from: number) =>
      grid.margin.map((margin, k) => table.boxes[6 * number + from + k] - margin) as Vector3;
    return [{ defect, voxels: table.voxels[number], first: corner(0), last: corner(3) }];
  });
  const request = {
    source: shells.source,
    cells,
    grid,
    runs,
    air: phase,
    levels: shells.levels,
    field: shells.field,
    blur: shells.blur,
    reach: findReach(shells.blur),
    level: { mean: 1, spread: shells.levelSpread, slope: slopeSpread },
    levelError: shells.levelError,
    paleShare: shells.paleShare,
    inward: shells.inward,
    axis: {
      at: [shells.axis.at[0] - cells.from[0], shells.axis.at[1] - cells.from[1]] as const,
      scatter: shells.axis.scatter,
    },
    noise: shells.noise ?? noise / (material - air),
    voids,
  };
  return measureShellVolumes(request, pool, arena, { ...options, slabPlanes: search.slabPlanes });
}

/**
 * Numbers of the components that count, the largest first. They are numbered from the bottom up: those of one size come in a
 * mixed order, so that where not all get a surface these are from everywhere.
 */
function keptComponents({ voxels }: ComponentTable, components: Components, minVoxels: number): number[] {
  const kept: number[] = [];
  for (let c = 0; c < components.count; c++) if (voxels[c] >= minVoxels) kept.push(c);
  // Multiples of the golden ratio, in 32 bits: any stretch of them is spread evenly (Knuth, The Art of Computer Programming, 6.4).
  const placeOf = (number: number) => Math.imul(number, 0x9e3779b1) >>> 0;
  return kept.sort((a, b) => voxels[b] - voxels[a] || placeOf(a) - placeOf(b));
}
