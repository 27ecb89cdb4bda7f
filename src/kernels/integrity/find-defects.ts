import { type CellBox, pointOf } from '../grid/region.ts';
import type { SlabSource, Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import type { KernelPool } from '../pool.ts';
import type { Arena } from '../simd/arena.ts';
import {
  allocateBits,
  bitGridOf,
  combineBits,
  countBits,
  rimBits,
  type StageOptions,
  thresholdBits,
} from './bit-grid.ts';
import { type BitGrid, type Components, type ComponentTable, dropped } from './bit-layout.ts';
import { findComponents, paintComponent } from './components.ts';
import {
  type GreyFigures,
  type GreyLevels,
  greyFigures,
  measureDefects,
  placeDefects,
  type RawMeasures,
} from './measure-defects.ts';
import { areaSteps, type DefectTriangles, directionCount, sumCount, sumOf } from './measure-slab.ts';
import { findOpenVoids, marginForBall } from './open-voids.ts';
import { smallestBall } from './shape.ts';
import type { SheetTotals } from './sheet-planes.ts';
import { findSheets, type Sheets } from './sheets.ts';

export type DefectKind = 'porosity' | 'inclusion' | 'crack';

export interface Defect {
  kind: DefectKind;
  voxels: number;
  /** from the grey values: right for cells that are filled in part */
  volumeMm3: number;
  /** voxels times their volume */
  countedVolumeMm3: number;
  /** at the lower and at the upper end of the threshold's uncertainty */
  volumeBandMm3: [number, number];
  equivalentDiameterMm: number;
  enclosingDiameterMm: number;
  /** of its boundary with the material; of a crack, of the sheet in its middle */
  areaMm2: number;
  /** mean opening of a crack: its volume over the area of its middle sheet; null for other kinds */
  openingMm: number | null;
  /** area of the ball of equal volume over its own; null for one that is open to the surface */
  sphericity: number | null;
  /** its volume over that of the smallest ball around it */
  compactness: number;
  /** in the scan's frame */
  centerMm: Vector3;
  boundsMm: { min: Vector3; max: Vector3 };
  /** shortest way through material to the outer surface; 0 for one that is open to it, null without any */
  distanceToSurfaceMm: number | null;
  /** as seen along the grid's x, y and z */
  projectedAreasMm2: Vector3;
  surfaceConnected: boolean;
  belowDetectionLimit: boolean;
}

export interface DefectSearch extends StageOptions {
  cells: CellBox;
  levels: GreyLevels;
  minVoxels: number;
  /** radius of the ball that tells open voids from the outside; null = voids that are open are not looked for */
  openingRadiusMm: number | null;
  /** whether thin voids are sought, those of an opening below a voxel among them */
  cracks?: { noise: number; range: [number, number] } | null;
  /** grey value above which material is an inclusion; null = none are looked for */
  inclusionLevel?: number | null;
  inclusionGrey?: number | null;
  /** how many triangles of the defects' surfaces are kept at most, about */
  maxTriangles: number;
  onStage?: (name: string, fraction: number) => void;
}

export interface DefectGroup {
  defects: Defect[];
  triangles: DefectTriangles[];
  /** the defect of each owner in the triangles */
  measures: RawMeasures;
}

export interface DefectResult {
  voids: DefectGroup;
  inclusions: DefectGroup | null;
  materialVoxels: number;
  /** material and voids within its outer surface, from the grey values there */
  partVolumeMm3: number;
  cellVolumeMm3: number;
}

/** More than these are no list of defects but a foam or noise. */
const mostDefects = 500_000;
/** A void is a crack when the middle of a sheet runs through this share of its cells, that is where it is thin. */
const crackShare = 0.3;
/** Cells across below which a defect is under the detection limit. */
export const detectionLimitCells = 3;

/**
 * Voids (and inclusions) of a region, measured. Air that is connected with the region's border is outside and never
 * counts; of it, only what the rolling ball can't reach is a void, open to the surface.
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
  const margin: Vector3 = openingRadiusMm === null ? [3, 3, 3] : marginForBall(openingRadiusMm, spacingMm);
  const grid = bitGridOf(size, margin);
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
    cells,
    grid,
    thresholds,
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
  const mark = arena.mark();
  search.onStage?.('Outside', 0.27);
  const airParts = await findComponents(grid, air, 26, pool, arena, at('Outside', 0.27, 0.05));
  await paintComponent(grid, airParts, 0, outside, pool, arena, at('Outside', 0.3, 0));
  arena.release(mark);
  let isOpen = false;
  if (openingRadiusMm !== null) {
    const options = { ...at('Open voids', 0.32, 0.2), radiusMm: openingRadiusMm, spacingMm };
    isOpen = await findOpenVoids(grid, outside, voids, pool, arena, options);
  }
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
        outside,
        zone: phase === air ? zone : 0,
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
  if (isOpen) await combineBits(grid, outside, 'without', voids, outerAir, pool, arena, stage);
  else await combineBits(grid, outside, 'or', outside, outerAir, pool, arena, stage);
  const zone = allocateBits(arena, grid);
  await rimBits(grid, outerAir, zone, pool, arena, stage);
  await combineBits(grid, air, 'without', outerAir, voids, pool, arena, stage);
  // Sheets too thin for the threshold are voids of their own, or bridge the pieces of one.
  let sheets: Sheets | null = null;
  if (search.cracks) {
    const target = allocateBits(arena, grid);
    const request = { outside: outerAir, levels, ...search.cracks, target };
    sheets = await findSheets(source, cells, grid, request, pool, arena, at('Cracks', 0.53, 0.2));
    await combineBits(grid, voids, 'or', target, voids, pool, arena, stage);
    await combineBits(grid, air, 'or', target, air, pool, arena, stage);
  }
  const shares = inclusionLevel === null ? 1 : 0.5;
  const found = await group(air, voids, outerAir, {
    kind: 'porosity',
    from: 0.54,
    share: 0.44 * shares,
    grey: null,
    level: levels.level,
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
      sheets: null,
    });
  }
  const [sx, sy, sz] = spacingMm;
  const within = total - (await countBits(grid, outerAir, pool, arena, stage)) + found.measures.surfaceCells;
  const cellVolumeMm3 = sx * sy * sz;
  return { voids: found, inclusions, materialVoxels, partVolumeMm3: within * cellVolumeMm3, cellVolumeMm3 };
}

interface GroupPart {
  kind: 'porosity' | 'inclusion';
  from: number;
  share: number;
  /** grey value of a cell full of defect; null = that of air */
  grey: number | null;
  /** where its surface runs */
  level: number;
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
  /** near the outer surface; 0 = not wanted */
  zone: number;
  outside: number;
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
  const table = await pool.run('tabulate', { memory, grid, components, mask }, { signal });
  const kept = keptComponents(table, components, grid, search.minVoxels);
  if (kept.length > mostDefects) {
    throw new KernelError(
      'TOO_LARGE',
      `${kept.length} defects were found and ${mostDefects} is the limit: this is a foam or noise. Raise the smallest defect, or choose another threshold or region.`,
    );
  }
  const map = new Uint32Array(components.count).fill(dropped);
  for (const [defect, number] of kept.entries()) map[number] = defect;
  await pool.run(
    'renumber',
    { memory, numbers: components.numbers, runCount: components.runCount, map },
    { signal },
  );
  const totals = work.sheets
    ? await pool.run(
        'sheetTotals',
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
      zone: work.zone,
      levels: { ...search.levels, level: work.level },
      meshed,
    },
    pool,
    arena,
    at('Measuring', from, share * 0.7),
  );
  const places = await placeDefects(
    {
      grid,
      defects: components,
      count: kept.length,
      outside: work.outerAir,
      spacingMm: source.grid.voxelSizeMm,
    },
    pool,
    arena,
    at('Measuring', from + share * 0.7, share * 0.3),
  );
  const defects = kept.map((number, defect) =>
    describe(work, table, number, defect, measures, places, totals),
  );
  return { defects, triangles: measures.triangles, measures };
}

/** Numbers of the components that count, the largest first. */
function keptComponents(
  { voxels, boxes }: ComponentTable,
  components: Components,
  grid: BitGrid,
  minVoxels: number,
): number[] {
  const kept: number[] = [];
  for (let c = 0; c < components.count; c++) {
    if (voxels[c] < minVoxels) continue;
    const inside = [0, 1, 2].every(
      (k) => boxes[6 * c + k] > grid.margin[k] && boxes[6 * c + 3 + k] < grid.margin[k] + grid.cells[k] - 1,
    );
    if (inside) kept.push(c);
  }
  return kept.sort((a, b) => voxels[b] - voxels[a] || a - b);
}

function describe(
  { source, grid, search, kind: group, grey }: GroupWork,
  table: ComponentTable,
  number: number,
  defect: number,
  measures: RawMeasures,
  places: { distancesMm: Float64Array; projected: Float64Array },
  sheets: SheetTotals | null,
): Defect {
  const s = source.grid.voxelSizeMm;
  const cellMm3 = s[0] * s[1] * s[2];
  const voxels = table.voxels[number];
  const { air, material } = measures.grey;
  const figures = greyFigures(measures, defect, search.levels, material, grey ?? air);
  const volumeMm3 = volumeOf(figures, voxels) * cellMm3;
  const equivalentDiameterMm = Math.cbrt((6 * volumeMm3) / Math.PI);
  const box = [0, 1, 2, 3, 4, 5].map((k) => table.boxes[6 * number + k] - grid.margin[k % 3]);
  const { center, radius } = enclosingBall(measures, defect, box, s);
  const enclosingDiameterMm = Math.max(2 * radius, equivalentDiameterMm);
  const isCrack = sheets !== null && sheets.cells[defect] >= crackShare * voxels;
  const kind: DefectKind = isCrack ? 'crack' : group;
  const wallMm2 = (measures.sums[defect * sumCount + sumOf.area] / areaSteps) * Math.min(...s) ** 2;
  const sheetMm2 = isCrack ? sheets.areas[defect] * Math.min(...s) ** 2 : 0;
  const areaMm2 = isCrack ? sheetMm2 : wallMm2;
  const inScan = (place: Vector3) =>
    pointOf(source.grid, place.map((n, k) => n + search.cells.from[k]) as Vector3);
  const boxCenter = center.map((n, k) => n / s[k]) as Vector3;
  const distance = places.distancesMm[defect];
  const surfaceConnected = kind === 'inclusion' ? distance < Math.max(...s) : table.marked[number] === 1;
  return {
    kind,
    voxels,
    volumeMm3,
    countedVolumeMm3: voxels * cellMm3,
    volumeBandMm3: [
      Math.max(0, volumeMm3 - (voxels - Math.min(figures.low, voxels)) * cellMm3),
      volumeMm3 + Math.max(0, figures.high - voxels) * cellMm3,
    ],
    equivalentDiameterMm,
    enclosingDiameterMm,
    areaMm2,
    openingMm: isCrack && sheetMm2 > 0 ? volumeMm3 / sheetMm2 : null,
    sphericity:
      surfaceConnected || isCrack || areaMm2 === 0
        ? null
        : Math.min(1, (Math.PI * equivalentDiameterMm ** 2) / areaMm2),
    compactness: Math.min(1, (equivalentDiameterMm / enclosingDiameterMm) ** 3),
    centerMm: inScan(isWithin(figures.center, box) ? figures.center : boxCenter),
    boundsMm: boundsOf(box, inScan),
    distanceToSurfaceMm: surfaceConnected ? 0 : Number.isFinite(distance) ? distance : null,
    projectedAreasMm2: [0, 1, 2].map((k) => (places.projected[3 * defect + k] * cellMm3) / s[k]) as Vector3,
    surfaceConnected,
    belowDetectionLimit:
      (isCrack ? enclosingDiameterMm : equivalentDiameterMm) < detectionLimitCells * Math.max(...s),
  };
}

/** From the grey values, unless they say nothing (a threshold far from both peaks): then the count. */
const volumeOf = ({ cells }: GreyFigures, voxels: number) =>
  cells > 0.25 * voxels && cells < 4 * voxels ? cells : voxels;

const isWithin = (place: Vector3, box: number[]) =>
  place.every((n, k) => n >= box[k] - 1 && n <= box[k + 3] + 1);

function enclosingBall(measures: RawMeasures, defect: number, box: number[], s: Vector3) {
  const points: Vector3[] = [];
  for (let d = 0; d < directionCount; d++) {
    const at = 4 * (defect * directionCount + d);
    if (!Number.isFinite(measures.outermost[at])) continue;
    points.push([...measures.outermost.subarray(at + 1, at + 4)] as Vector3);
  }
  if (points.length > 0) return smallestBall(points);
  const middle = [0, 1, 2].map((k) => ((box[k] + box[k + 3]) / 2) * s[k]) as Vector3;
  return {
    center: middle,
    radius: Math.hypot(...[0, 1, 2].map((k) => ((box[k + 3] - box[k] + 1) / 2) * s[k])),
  };
}

/** Outer faces of the box's cells, in the scan's frame. */
function boundsOf(box: number[], inScan: (place: Vector3) => Vector3): { min: Vector3; max: Vector3 } {
  const min: Vector3 = [Infinity, Infinity, Infinity];
  const max: Vector3 = [-Infinity, -Infinity, -Infinity];
  for (let corner = 0; corner < 8; corner++) {
    const place = inScan(
      [0, 1, 2].map((k) => ((corner >> k) & 1 ? box[k + 3] + 0.5 : box[k] - 0.5)) as Vector3,
    );
    for (let k = 0; k < 3; k++) {
      min[k] = Math.min(min[k], place[k]);
      max[k] = Math.max(max[k], place[k]);
    }
  }
  return { min, max };
}
