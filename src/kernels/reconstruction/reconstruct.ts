/**
 * Filtered back-projection of radiographs: cone beam (Feldkamp, Davis and Kress 1984, doi:10.1364/JOSAA.1.000612), fan
 * and parallel beam. Projections are read in batches and the volume is summed up in slabs of planes, so that memory is
 * bounded whatever the size of either; batches, slabs and threads leave no trace in the result.
 * O(cells · projections).
 */

import type { Arena } from '../arena.ts';
import { bytesPerVoxel, type SlabSource, type VoxelArray } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import { inPieces, type KernelPool } from '../pool.ts';
import { kernelTasks } from '../task.ts';
import type { FilterSetup, ProjectionLayout } from './filter-projections.ts';
import { findCenter, type HowFound, type MeasuredCenter } from './find-center.ts';
import {
  type AngleCover,
  angleCover,
  checkGeometry,
  type PreviewGrid,
  previewGrid,
  type ScanGeometry,
  type VirtualDetector,
  virtualDetector,
} from './geometry.ts';
import { freeBeamLevel, ringStripes } from './line-integrals.ts';
import type { RampName } from './ramp-filter.ts';
import { filterInArena, surveyRows } from './tasks.ts';

export interface Radiographs {
  geometry: ScanGeometry;
  /** planes are projections; columns fastest, rows in the detector's order */
  projections: SlabSource;
  values: 'counts' | 'lineIntegrals';
  /** means of the images behind nothing and without a beam; same size as a projection */
  flat?: ArrayLike<number> | undefined;
  dark?: ArrayLike<number> | undefined;
  /** counts behind nothing and without a beam where there are no images of them */
  flatLevel?: number | undefined;
  darkLevel?: number | undefined;
}

export interface ReconstructionOptions {
  maxDimension: number;
  /** these cells instead of all that the detector sees from all sides */
  cells?: PreviewGrid | undefined;
  filter: RampName;
  /** on the detector, from its middle, along growing column numbers; found from the projections without it */
  centerOfRotationMm?: number | undefined;
  /** b of the correction p + b p² of the line integrals */
  beamHardening?: number | undefined;
  ringCorrection?: boolean | undefined;
  signal?: AbortSignal | undefined;
  progress?: (fraction: number, stage: string) => void;
  /** bytes of the volume that are summed up at a time, and of the projections read at a time; only tests set them */
  slabBytes?: number;
  batchBytes?: number;
}

export interface ReconstructionWarning {
  code:
    | 'ANGLES_MISSING'
    | 'FEW_PROJECTIONS'
    | 'FREE_BEAM_ASSUMED'
    | 'DEAD_PIXELS'
    | 'CENTER_ASSUMED'
    | 'CENTER_DIFFERS';
  message: string;
}

export interface ReconstructionFacts {
  grid: PreviewGrid;
  centerOfRotationMm: number;
  centerColumn: number;
  howFound: HowFound;
  /** of the two sides about the centre, 0 … 1; null unless it was found by symmetry */
  mismatch: number | null;
  binning: number;
  cover: Pick<AngleCover, 'fullTurn' | 'rangeDeg'>;
  flatLevel: number | null;
  warnings: ReconstructionWarning[];
}

const defaultSlabBytes = 512 * 1024 ** 2;
const defaultBatchBytes = 48 * 1024 ** 2;
/** Cells times projections in one task: a twentieth of a second. */
const updatesAtOnce = 2e7;
/** Rows of the volume in one task at least: the kernel goes through so many together. */
const fewestRows = 4;
const purpose = 'The reconstruction';

/** All that stays the same while the volume is made. */
interface Plan {
  radiographs: Radiographs;
  options: ReconstructionOptions;
  detector: VirtualDetector;
  cover: AngleCover;
  layout: ProjectionLayout;
  warnings: ReconstructionWarning[];
}

/**
 * Gives the volume (attenuation in 1/mm, f32) to `write`, plane after plane, once `begin` has been told how large it is.
 * @throws KernelError BAD_INPUT for a geometry that can't be, TOO_LARGE
 */
export async function reconstruct(
  radiographs: Radiographs,
  pool: KernelPool,
  options: ReconstructionOptions,
  begin: (facts: ReconstructionFacts) => Promise<(planes: Float32Array<ArrayBuffer>) => Promise<void>>,
): Promise<ReconstructionFacts> {
  const { geometry, projections } = radiographs;
  checkGeometry(geometry);
  const [columns, rows, count] = projections.grid.dimensions;
  if (columns !== geometry.columns || rows !== geometry.rows || count !== geometry.anglesDeg.length) {
    throw new KernelError(
      'BAD_INPUT',
      `There are ${count} projections of ${columns} × ${rows} pixels, but the geometry speaks of ${geometry.anglesDeg.length} of ${geometry.columns} × ${geometry.rows}.`,
    );
  }
  return pool.withArena(async (arena) => {
    const detector = virtualDetector(geometry);
    const cover = angleCover(geometry.beam, geometry.anglesDeg);
    const warnings = coverWarnings(geometry, cover);
    const { layout, flatLevel } = await correctionImages(radiographs, detector, arena, options, warnings);
    const plan: Plan = { radiographs, options, detector, cover, layout, warnings };
    const { survey, center } = await surveyScan(plan, pool, arena);
    if (options.ringCorrection) {
      const stripes = ringStripes(survey, columns);
      plan.layout = { ...layout, stripes: arena.allocate(stripes.byteLength, purpose) };
      arena.floats(plan.layout.stripes, stripes.length).set(stripes);
    }
    const grid = options.cells ?? previewGrid(geometry, detector, center.column, options.maxDimension);
    const facts: ReconstructionFacts = {
      grid,
      centerColumn: center.column,
      centerOfRotationMm: (center.column - (columns - 1) / 2) * geometry.pixelSizeMm[0],
      howFound: center.howFound,
      mismatch: center.mismatch,
      binning: binningOf(geometry, detector, grid),
      cover: { fullTurn: cover.fullTurn, rangeDeg: cover.rangeDeg },
      flatLevel,
      warnings,
    };
    const write = await begin(facts);
    await backProjectAll(plan, facts, pool, arena, write);
    return facts;
  });
}

function coverWarnings(
  { beam, anglesDeg, pixelSizeMm, columns }: ScanGeometry,
  cover: AngleCover,
): ReconstructionWarning[] {
  const warnings: ReconstructionWarning[] = [];
  const needed = beam === 'parallel' ? 180 : 180 + 1;
  if (cover.rangeDeg < needed - 0.5) {
    warnings.push({
      code: 'ANGLES_MISSING',
      message: `The projections cover ${cover.rangeDeg.toFixed(1)}° only: directions that were not seen are missing in the volume.`,
    });
  }
  const wanted = (Math.PI / 2) * columns * (cover.fullTurn || beam !== 'parallel' ? 1 : 0.5);
  if (anglesDeg.length < wanted / 4) {
    warnings.push({
      code: 'FEW_PROJECTIONS',
      message: `${anglesDeg.length} projections are few for ${columns} columns of ${pixelSizeMm[0]} mm: streaks are to be expected.`,
    });
  }
  return warnings;
}

/** Dark and gain images in the arena, and where a turned detector's pixels are. */
async function correctionImages(
  { geometry, projections, values, flat, dark, flatLevel, darkLevel }: Radiographs,
  detector: VirtualDetector,
  arena: Arena,
  { signal }: ReconstructionOptions,
  warnings: ReconstructionWarning[],
): Promise<{ layout: ProjectionLayout; flatLevel: number | null }> {
  const { columns, rows } = geometry;
  const pixels = columns * rows;
  for (const [name, image] of [
    ['flat', flat],
    ['dark', dark],
  ] as const) {
    if (image && image.length !== pixels) {
      throw new KernelError(
        'BAD_INPUT',
        `The ${name} image has ${image.length} pixels, a projection has ${pixels}.`,
      );
    }
  }
  let level = flatLevel ?? null;
  if (values === 'counts' && !flat && level === null) {
    level = freeBeamLevel(await projections.readSlab(0, 1, signal), columns);
    warnings.push({
      code: 'FREE_BEAM_ASSUMED',
      message: `There are no flat images: ${Number(level.toPrecision(5))}, what the borders of the first projection show, was taken for the free beam.`,
    });
  }
  const layout: ProjectionLayout = {
    dataType: projections.dataType,
    values,
    columns,
    rows,
    dark: arena.allocate(pixels * 4, purpose),
    gain: arena.allocate(pixels * 4, purpose),
    stripes: 0,
    map: 0,
    rowsReversed: detector.rowsReversed,
  };
  const [darks, gains] = [arena.floats(layout.dark, pixels), arena.floats(layout.gain, pixels)];
  let dead = 0;
  for (let i = 0; i < pixels; i++) {
    darks[i] = dark ? dark[i] : (darkLevel ?? 0);
    const span = (flat ? flat[i] : (level ?? 1)) - darks[i];
    gains[i] = span > 0 && span < Infinity ? 1 / span : 0;
    if (gains[i] === 0) dead++;
  }
  if (values === 'counts' && dead === pixels) {
    throw new KernelError(
      'BAD_INPUT',
      'No pixel of the flat image is brighter than the dark one: check flat and dark.',
    );
  }
  if (values === 'counts' && dead > 0)
    warnings.push({
      code: 'DEAD_PIXELS',
      message: `${dead} dead pixels were filled in from their neighbours.`,
    });
  if (detector.resample) {
    layout.map = arena.allocate(pixels * 8, purpose);
    const map = arena.floats(layout.map, 2 * pixels);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        map.set(detector.resample(column, row), 2 * (row * columns + column));
      }
    }
  }
  return { layout, flatLevel: values === 'counts' && !flat ? level : null };
}

/** The mean over all angles, in the detector's own order, and the centre of rotation. */
async function surveyScan(plan: Plan, pool: KernelPool, arena: Arena) {
  const { radiographs, options, detector, cover, layout } = plan;
  const { geometry } = radiographs;
  const { columns, rows, pixelSizeMm } = geometry;
  const given = options.centerOfRotationMm;
  const mean = new Float64Array(columns * rows);
  if (given !== undefined && !options.ringCorrection) {
    const column = given / pixelSizeMm[0] + (columns - 1) / 2;
    return { survey: mean, center: { column, howFound: 'given' as const, mismatch: null } };
  }
  const { memory } = arena;
  const mark = arena.mark();
  const plain: ProjectionLayout = { ...layout, map: 0, stripes: 0, rowsReversed: false };
  const sums = arena.allocate(mean.byteLength, purpose);
  arena.doubles(sums, mean.length).fill(0);
  const upward = Math.min(rows - 1, Math.max(0, Math.round(detector.middleRow)));
  const keptRow = detector.rowsReversed ? rows - 1 - upward : upward;
  const sinogram = new Float32Array(columns * geometry.anglesDeg.length);
  const total = cover.weights.reduce((sum, weight) => sum + weight, 0);
  await eachBatch(plan, arena, async (raw, from, to, projectionBytes) => {
    const kept = arena.allocate((to - from) * columns * 4, purpose);
    const weights = [...cover.weights.subarray(from, to)].map((weight) => weight / total);
    const size = Math.max(1, Math.floor(2e6 / (columns * (to - from))));
    await inPieces(pool, { from: 0, to: rows, size }, { signal: options.signal }, (rowFrom, rowTo) =>
      pool.run(
        surveyRows,
        { memory, layout: plain, raw, projectionBytes, weights, rowFrom, rowTo, sums, keptRow, kept },
        { signal: options.signal },
      ),
    );
    sinogram.set(arena.floats(kept, (to - from) * columns), from * columns);
    options.progress?.((0.15 * to) / geometry.anglesDeg.length, 'Reading the radiographs');
  });
  mean.set(arena.doubles(sums, mean.length));
  arena.release(mark);
  if (given !== undefined) {
    const column = given / pixelSizeMm[0] + (columns - 1) / 2;
    return { survey: mean, center: { column, howFound: 'given' as const, mismatch: null } };
  }
  options.progress?.(0.15, 'Finding the centre of rotation');
  const found = await findCenter({ geometry, detector, cover, mean, sinogram }, pool, arena, options.signal);
  const center = chooseCenter(geometry, detector.middleColumn, found, plan.warnings);
  return { survey: mean, center };
}

/** A found centre that is farther from the given one than this share of the detector's width, or a pixel, is told. */
const smallShare = 0.02;

/** The given geometry goes first; what the radiographs say stands in for what nobody told, where it can be relied on. */
function chooseCenter(
  { columns, pixelSizeMm, isPoseGiven }: ScanGeometry,
  givenColumn: number,
  found: MeasuredCenter | undefined,
  warnings: ReconstructionWarning[],
): { column: number; howFound: HowFound; mismatch: number | null } {
  const given = { column: givenColumn, howFound: 'geometry' as const, mismatch: null };
  if (found === undefined || found.doubt !== null) {
    const reason = found?.doubt ? `: ${found.doubt}` : '';
    if (!isPoseGiven)
      warnings.push({
        code: 'CENTER_ASSUMED',
        message: `The radiographs do not tell where the axis of rotation is${reason}. The centre of the geometry was used.`,
      });
    return given;
  }
  const inMm = (column: number) =>
    `${((column - (columns - 1) / 2) * pixelSizeMm[0]).toFixed(3).replace('-', '\u2212')} mm`;
  const isFar =
    Math.abs(found.column - givenColumn) > Math.max(1, isPoseGiven ? 0.005 * columns : smallShare * columns);
  if (isFar)
    warnings.push({
      code: 'CENTER_DIFFERS',
      message: `The radiographs put the axis of rotation at ${inMm(found.column)} from the detector’s middle, the geometry at ${inMm(givenColumn)}. ${
        isPoseGiven ? 'The geometry was used' : 'That of the radiographs was used'
      }; set the centre of rotation to use another one.`,
    });
  return isPoseGiven ? given : found;
}

/** All projections, batch by batch, in the arena; the next is read while the work goes on with this one. */
async function eachBatch(
  { radiographs, options }: Plan,
  arena: Arena,
  work: (raw: number, from: number, to: number, projectionBytes: number) => Promise<void>,
): Promise<void> {
  const { projections } = radiographs;
  const [columns, rows, count] = projections.grid.dimensions;
  const projectionBytes = Math.ceil((columns * rows * bytesPerVoxel[projections.dataType]) / 16) * 16;
  const size = batchSize(projectionBytes, options);
  const raw = arena.allocate(size * projectionBytes, purpose);
  const read = (from: number) => projections.readSlab(from, Math.min(count, from + size), options.signal);
  const mark = arena.mark();
  let next: Promise<VoxelArray> = read(0);
  for (let from = 0; from < count; from += size) {
    options.signal?.throwIfAborted();
    const values = await next;
    const to = Math.min(count, from + size);
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    const one = bytes.length / (to - from);
    for (let p = 0; p < to - from; p++) {
      arena.bytes(raw + p * projectionBytes, one).set(bytes.subarray(p * one, (p + 1) * one));
    }
    if (to < count) {
      next = read(to);
      // Whoever stops before it is awaited has not forgotten an error.
      next.catch(() => undefined);
    }
    arena.release(mark);
    await work(raw, from, to, projectionBytes);
  }
}

const batchSize = (projectionBytes: number, { batchBytes = defaultBatchBytes }: ReconstructionOptions) =>
  Math.max(1, Math.floor(batchBytes / projectionBytes));

function binningOf(geometry: ScanGeometry, detector: VirtualDetector, grid: PreviewGrid): number {
  const { beam, sourceToAxisMm, pixelSizeMm, rows, columns } = geometry;
  const scale = beam === 'parallel' ? 1 : sourceToAxisMm / detector.sourceToDetectorMm;
  const most = Math.floor(grid.voxelSizeMm / (pixelSizeMm[0] * scale) + 1e-9);
  return Math.max(1, Math.min(most, rows > 1 ? rows : most, Math.floor(columns / 2)));
}

async function backProjectAll(
  plan: Plan,
  facts: ReconstructionFacts,
  pool: KernelPool,
  arena: Arena,
  write: (planes: Float32Array<ArrayBuffer>) => Promise<void>,
): Promise<void> {
  const { options } = plan;
  const [nx, ny, nz] = facts.grid.dimensions;
  const { slabBytes = defaultSlabBytes } = options;
  const planes = Math.max(1, Math.min(nz, Math.floor(slabBytes / (nx * ny * 4))));
  const mark = arena.mark();
  for (let zFrom = 0; zFrom < nz; zFrom += planes) {
    arena.release(mark);
    const zTo = Math.min(nz, zFrom + planes);
    const report = (fraction: number) =>
      options.progress?.(0.2 + (0.8 * (zFrom + fraction * (zTo - zFrom))) / nz, 'Back-projection');
    await backProjectSlab(plan, facts, pool, arena, [zFrom, zTo], report, write);
  }
  arena.release(mark);
}

async function backProjectSlab(
  plan: Plan,
  facts: ReconstructionFacts,
  pool: KernelPool,
  arena: Arena,
  [zFrom, zTo]: [number, number],
  report: (fraction: number) => void,
  write: (planes: Float32Array<ArrayBuffer>) => Promise<void>,
): Promise<void> {
  const { radiographs, options, detector, cover } = plan;
  const { geometry } = radiographs;
  const { memory } = arena;
  const { signal } = options;
  const { grid } = facts;
  const [nx, ny] = grid.dimensions;
  const nz = zTo - zFrom;
  const setup = filterSetup(plan, facts, [zFrom, zTo]);
  const columns = Math.floor(geometry.columns / setup.binning);
  const volume = arena.allocate(nx * ny * nz * 4, 'The volume');
  await inPieces(pool, { from: 0, to: ny, size: 16 }, { signal }, async (from, to) => {
    arena.floats(volume + from * nx * nz * 4, (to - from) * nx * nz).fill(0);
  });
  if (setup.heldTo > setup.heldFrom) {
    const numbers = setupNumbers(geometry, detector, setup, grid, zFrom, nz);
    const setupAt = arena.allocate(numbers.length * 8, purpose);
    arena.doubles(setupAt, numbers.length).set(numbers);
    const scratch = Array.from({ length: pool.threads }, () =>
      arena.allocate((setup.pitch + 16) * 4, purpose),
    );
    const count = geometry.anglesDeg.length;
    await eachBatch(plan, arena, async (raw, from, to, projectionBytes) => {
      const size = to - from;
      const filtered = arena.allocate(size * columns * setup.pitch * 4, 'The filtered projections');
      const angles = arena.allocate(size * 16, purpose);
      const turned = geometry.anglesDeg.slice(from, to).map((angle) => (angle * Math.PI) / 180);
      arena.doubles(angles, 2 * size).set(turned.flatMap((angle) => [Math.cos(angle), Math.sin(angle)]));
      const atOnce = Math.max(
        1,
        Math.floor(1e6 / (geometry.columns * (setup.heldTo - setup.heldFrom) * setup.binning)),
      );
      const part = (first: number, share: number) => (fraction: number) =>
        report((from + size * (first + share * fraction)) / count);
      await inPieces(
        pool,
        { from: 0, to: size, size: atOnce },
        { signal, progress: part(0, 0.3) },
        (first, end) =>
          pool.run(
            filterInArena,
            {
              memory,
              setup,
              cover,
              raw: raw + first * projectionBytes,
              projectionBytes,
              anglesDeg: geometry.anglesDeg.slice(from + first, from + end),
              weights: [...cover.weights.subarray(from + first, from + end)],
              target: filtered + 4 * first * columns * setup.pitch,
            },
            { signal },
          ),
      );
      const rowsAtOnce = Math.max(fewestRows, Math.floor(updatesAtOnce / (nx * nz * size)));
      await inPieces(
        pool,
        { from: 0, to: ny, size: rowsAtOnce },
        { signal, progress: part(0.3, 0.7) },
        (jFrom, jTo, lane) =>
          pool.run(
            kernelTasks.backProject,
            {
              memory,
              volume,
              setup: setupAt,
              angles,
              filtered,
              count: size,
              jFrom,
              jTo,
              scratch: scratch[lane],
            },
            { signal },
          ),
      );
    });
  }
  const atOnce = Math.max(1, Math.min(nz, Math.floor(32e6 / (nx * ny * 4))));
  const out = arena.allocate(atOnce * nx * ny * 4, 'The volume');
  const radius2 = radius2Of(grid);
  for (let k = 0; k < nz; k += atOnce) {
    const end = Math.min(nz, k + atOnce);
    await inPieces(pool, { from: 0, to: ny, size: 64 }, { signal }, (jFrom, jTo) =>
      pool.run(
        kernelTasks.turnPlanes,
        { memory, volume, planes: out, nx, ny, nz, kFrom: k, kTo: end, jFrom, jTo, radius2 },
        { signal },
      ),
    );
    await write(new Float32Array(arena.floats(out, (end - k) * nx * ny)));
  }
}

/** Cells² from the middle, beyond which nothing is kept: not all projections see it. */
const radius2Of = ({ radiusMm, voxelSizeMm }: PreviewGrid): number => (radiusMm / voxelSizeMm) ** 2;

function filterSetup(
  { radiographs, options, detector, layout }: Plan,
  facts: ReconstructionFacts,
  [zFrom, zTo]: [number, number],
): FilterSetup {
  const { geometry } = radiographs;
  const { beam, pixelSizeMm, sourceToAxisMm } = geometry;
  const { binning, grid } = facts;
  const rowBinning = geometry.rows > 1 ? binning : 1;
  const rows = Math.floor(geometry.rows / rowBinning);
  const middleRow = (detector.middleRow + 0.5) / rowBinning - 0.5;
  // Rows that the slab's shadow can touch, nearest to the source and farthest from it.
  let [low, high] = [Infinity, -Infinity];
  for (const plane of [zFrom, zTo - 1]) {
    const z = grid.originMm[2] + plane * grid.voxelSizeMm;
    for (const side of [-1, 1]) {
      const depth = sourceToAxisMm + side * Math.SQRT2 * grid.radiusMm;
      const magnification =
        beam === 'cone' ? detector.sourceToDetectorMm / Math.max(depth, 1e-3 * sourceToAxisMm) : 1;
      const row = middleRow + (z * magnification) / (pixelSizeMm[1] * rowBinning);
      low = Math.min(low, row);
      high = Math.max(high, row);
    }
  }
  const heldFrom = Math.max(0, Math.floor(low) - 2);
  const heldTo = Math.max(heldFrom, Math.min(rows, Math.ceil(high) + 3));
  return {
    ...layout,
    beam,
    across: detector.across,
    sourceToAxisMm,
    sourceToDetectorMm: detector.sourceToDetectorMm,
    pixelSizeMm,
    binning,
    rowBinning,
    centerColumn: (facts.centerColumn + 0.5) / binning - 0.5,
    middleRow,
    filter: options.filter,
    beamHardening: options.beamHardening ?? 0,
    heldFrom,
    heldTo,
    pitch: Math.ceil((heldTo - heldFrom + 1) / 4) * 4,
  };
}

/** What the compiled back-projection is told; see its own header. */
function setupNumbers(
  geometry: ScanGeometry,
  detector: VirtualDetector,
  setup: FilterSetup,
  grid: PreviewGrid,
  zFrom: number,
  nz: number,
): number[] {
  const { pixelSizeMm, binning, rowBinning } = setup;
  return [
    grid.dimensions[0],
    grid.dimensions[1],
    nz,
    zFrom,
    ...grid.originMm,
    grid.voxelSizeMm,
    geometry.sourceToAxisMm,
    detector.sourceToDetectorMm,
    setup.centerColumn,
    detector.across / (pixelSizeMm[0] * binning),
    setup.middleRow,
    1 / (pixelSizeMm[1] * rowBinning),
    Math.floor(geometry.columns / binning),
    Math.floor(geometry.rows / rowBinning),
    setup.heldFrom,
    setup.pitch,
    ['cone', 'fan', 'parallel'].indexOf(geometry.beam),
    setup.heldTo - setup.heldFrom,
    radius2Of(grid),
  ];
}
