import { eachPlanes } from '../grid/plane-reader.ts';
import type { CellBox } from '../grid/region.ts';
import { bytesPerVoxel, type LevelField, type SlabSource, type Vector3 } from '../grid/volume.ts';
import { inPieces } from '../pool.ts';
import { planesPerRead } from './bit-grid.ts';
import type { BitStage } from './bit-stage.ts';
import { averageBlurredBall } from './blurred-ball.ts';
import type { DefectRuns } from './shape.ts';
import { type LevelPrior, minHeight, type ShellOptions, shellMargin } from './shell-fit.ts';
import { gatherPatches, measurePatches, type Place, type PlacedPatch, shellNumbers } from './shell-tasks.ts';
import { compareWith, findBalls, type MeasuredPlace, medianOfSquares } from './sound-places.ts';

/** The scan in which voids are measured. */
export interface ShellScan {
  /** as it is, regardless of the filter and scale used to find voids */
  source: SlabSource;
  /** grey values of air and of material */
  levels: { air: number; material: number };
  /** converts values to the scale of local levels; null = none */
  field: LevelField | null;
  /** standard deviation of the edge spread, in cells */
  blur: number;
  /** further uncertainty of the levels, as a share of the contrast */
  levelError: number;
  /** possible loss of contrast in voids, as a share of it */
  paleShare: number;
  /** further loss of contrast at their rims, as a share of it */
  rimShare: number;
  /** possible outward shift of their faces, in cells */
  inward: number;
  /** grey value from which cells are of a denser material, as a share of the contrast; null = there is none */
  denserFrom: number | null;
  /** column of cells that rings are centred on, and the scatter of volumes on it, in cells */
  axis: { at: readonly [number, number]; scatter: number };
}

/** Here the axis is given in cells of the region. */
export interface ShellRequest extends ShellOptions, ShellScan {
  cells: CellBox;
  runs: DefectRuns;
  /** bits of all air */
  air: number;
  /** the cells of voids were chosen on a filtered scan, so they are not just those where noise is lowest */
  isQuiet: boolean;
  /** voids to measure, the largest first: number, cells, and the bounds of the cells in the region */
  voids: readonly { defect: number; voxels: number; first: Vector3; last: Vector3 }[];
}

export interface ShellVolume {
  /** in cells; may be negative when there is nothing but noise */
  volume: number;
  /** standard uncertainty of the volume, in cells */
  uncertainty: number;
  /** scatter of the volume in sound material, from noise and from artefacts as measured at sound places */
  scatter: number;
  /**
   * significance of the deficit of its own cells; 0 when the scan was not filtered, because noise then selects the
   * cells
   */
  ownEvidence: number;
  /** the part of the uncertainty that is common to all voids */
  common: number;
  /** mean deficit of its own cells, as a share of the contrast */
  depth: number;
  /** deficit in its middle as a share of the contrast, below 1 when it is not empty; null when unknown */
  emptiness: number | null;
  /** centroid of the missing material, in cells of the region */
  center: Vector3;
}

/** Cells of grey values in memory at once, 4 bytes each. */
const patchCells = 24e6;
/**
 * Distance in cells from the axis of rings within which a void may be the rings' centre, where their amplitude is
 * largest.
 */
const axisWidth = 1.5;
const cellsPerTask = 250_000;
/** Factor for a scatter estimated from one or two dozen places (Student's t over 2). */
const fewPlaces = 1.05;
/**
 * Uncertainties that sound places do not show, as shares of the volume: from partly filled cells, and from blur beyond
 * a void's reach, which grows with the square of blur over radius.
 */
const [shapeShare, blurShare] = [0.002, 0.03];
/** Rings and cupping affect similarly placed voids alike: share of the variance beyond noise that is common. */
const alikeShare = 0.3;

/**
 * Volumes of voids by the integral of their grey values against the material around each. Uncertainties come from the
 * same integral at sound places nearby, where it should be zero. Reads the planes around voids once more. Memory: 100
 * MB at most. The result does not depend on the number of threads.
 * @returns by defect; voids too large for that memory are missing
 */
export async function measureShellVolumes(
  request: ShellRequest,
  stage: BitStage,
): Promise<Map<number, ShellVolume>> {
  const { reach, voids, isQuiet } = request;
  const { grid, arena, progress } = stage;
  const margin = shellMargin(reach);
  const boxAround = (first: Vector3, last: Vector3) => ({
    from: first.map((n) => Math.max(0, Math.floor(n) - margin)) as Vector3,
    to: last.map((n, k) => Math.min(grid.cells[k], Math.ceil(n) + margin + 1)) as Vector3,
  });
  const balls = await findBalls(request, stage);
  const places: Place[] = [
    ...balls.map((ball) => {
      const { center, radius } = ball;
      const first = center.map((n) => n - radius) as Vector3;
      const last = center.map((n) => n + radius) as Vector3;
      return { ...boxAround(first, last), defect: null, ball };
    }),
    ...voids.map(({ defect, first, last }) => ({ ...boxAround(first, last), defect, ball: null })),
  ];
  let expected: Expectation | null = null;
  let sound: Measured[] = [];
  const measured = new Map<number, Measured>();
  for (let next = 0; next < places.length; ) {
    const mark = arena.mark();
    const batch: PlacedPatch[] = [];
    for (let held = 0; next < places.length; next++) {
      const place = places[next];
      const size = measureSize(place);
      if (size > patchCells) continue;
      if (held + size > patchCells) break;
      held += size;
      batch.push({ ...place, address: arena.allocate(4 * size, 'Voids and what is around them') });
    }
    await gatherBatch(request, batch, stage);
    const measure = (patches: PlacedPatch[], how: Expectation) => measureBatch(request, patches, how, stage);
    if (!expected) {
      const ofBalls = batch.filter(({ ball }) => ball !== null);
      expected = await expectLevels(request, ofBalls, measure);
      sound = (await measure(ofBalls, expected)).filter(isClear);
    }
    const inBatch = batch.filter(({ ball }) => ball === null);
    const found = await measure(inBatch, expected);
    for (const [i, { defect }] of inBatch.entries()) if (defect !== null) measured.set(defect, found[i]);
    arena.release(mark);
    progress?.(next / places.length);
  }
  const found = new Map<number, ShellVolume>();
  const compare = compareWith(sound, [...measured.values()]);
  const findEmptiness = judgeEmptiness([...measured.values()], request);
  const voxels = new Map(voids.map((each) => [each.defect, each.voxels]));
  for (const [defect, each] of measured) {
    const { mean, excess } = compare(each);
    const emptiness = findEmptiness(each);
    const volume = (each.volume - mean * each.deviation) / emptiness.share;
    const radius = findRadius(volume, each.cells, request.reach);
    const onAxis = Math.hypot(...request.axis.at.map((n, k) => each.center[k] - n)) < axisWidth;
    // Noise is known from many cells, other scatter from few places only.
    const ofNoise = each.deviation / emptiness.share;
    const seenBeyond = each.deviation * Math.sqrt(excess ** 2 - 1);
    const beyondNoise =
      (fewPlaces * Math.hypot(seenBeyond, onAxis ? request.axis.scatter : 0)) / emptiness.share;
    const scatter = Math.hypot(ofNoise, beyondNoise);
    const ofChance = scatter * findChance(each);
    const alike = Math.hypot(
      request.levelError * each.cells,
      blurShare * ((request.blur ** 2 + 1 / 12) / radius ** 2) * volume,
      Math.hypot(emptiness.common, request.rimShare) * volume,
      (3 / radius) * request.inward * volume,
    );
    found.set(defect, {
      volume,
      uncertainty: Math.hypot(scatter, shapeShare * volume, alike, emptiness.own * volume),
      scatter: ofChance,
      ownEvidence: isQuiet ? findEvidence(each, voxels.get(defect) ?? 0, excess) : 0,
      common: Math.hypot(Math.sqrt(alikeShare) * beyondNoise, alike),
      depth: each.depth,
      emptiness: emptiness.seen,
      center: each.center,
    });
  }
  return found;
}

/** Radius of a ball with the same surface-to-volume ratio: flat and branched voids have more cells within reach. */
function findRadius(volume: number, cells: number, reach: number): number {
  const ofBall = Math.cbrt((3 * Math.max(0, volume)) / (4 * Math.PI));
  return Math.max(1, Math.min(ofBall, reach / (Math.cbrt(cells / Math.max(1, volume)) - 1) || 1));
}

/**
 * For a small void the integral covers ten times its cells and collects that much more noise. When its own cells were
 * chosen on a filtered scan, their deficit in the unfiltered scan is evidence, too.
 */
const findEvidence = ({ depth, deviation, cells }: Measured, own: number, excess: number): number =>
  (depth * Math.sqrt(own * cells)) / (fewPlaces * excess * deviation);

/**
 * Factor on the standard deviation for the question whether there is a void at all. Between thin walls the shell hardly
 * determines the material's level, which may then be off for all cells of the integral; the volume's uncertainty
 * includes that. But a slightly wrong level cannot make cells look empty, so for this question it counts only in
 * proportion to what is missing.
 */
function findChance({ volume, deviation, cells, level, variances }: Measured): number {
  if (!(deviation > 0) || !(volume > 0)) return 1;
  const ofLevel = Math.min(deviation, (cells * Math.sqrt(variances[0])) / Math.max(level[0], minHeight));
  const levelVariance = ofLevel ** 2 * (1 - Math.min(1, volume / cells) ** 2);
  return Math.sqrt(1 - levelVariance / deviation ** 2);
}

/** Emptiness of a void: deficit of the whole void as a share of the contrast, with relative uncertainties. */
interface Emptiness {
  share: number;
  /** from the reading in the void's own middle */
  own: number;
  /** from prior knowledge common to all voids */
  common: number;
  /** shown by its own middle beyond chance; null when it has none */
  seen: number | null;
}

/**
 * Standard uncertainty of the level around a void, against which its middle is read; and the number of standard
 * deviations beyond chance.
 */
const [minReadingError, beyondChance] = [0.015, 3];
/**
 * Uncertain share of the blur's effect on a middle, because voids are not balls; and the smallest share that blur
 * leaves.
 */
const [leftShare, minLeftShare] = [0.5, 0.5];
/** Readings with a larger relative uncertainty do not show that a void is filled. */
const maxRelativeError = 0.1;

/**
 * Voids filled with resin or powder, or made pale by scattered radiation, have a smaller deficit than air: their volume
 * is the missing material divided by the deficit in their middle, which no edge reaches. A deficit within chance is
 * combined with the prior by inverse variances (Bayes' rule for two normal distributions), so a well-read middle
 * overrides most of what the scan allows for. Voids without a middle are assumed to be like the others, as far as those
 * agree.
 * @param paleShare standard deviation of the voids' possible loss of contrast, from everything known about the scan
 */
function judgeEmptiness(
  voids: readonly Measured[],
  { paleShare, blur }: Pick<ShellRequest, 'paleShare' | 'blur'>,
): (place: Measured) => Emptiness {
  const readLack = ({ middle, deviation, cells, volume }: Measured) => {
    if (middle.cells === 0) return null;
    const left = readLeft(middle, volume, blur);
    const noise = deviation / Math.sqrt(cells * middle.cells);
    return {
      lack: 1 - middle.depth / left,
      noise,
      off: Math.hypot(noise, minReadingError, leftShare * (1 - left)),
    };
  };
  const realShare = findRealShare(voids.flatMap((each) => readLack(each) ?? []));
  const read = (each: Measured): Emptiness | null => {
    const reading = readLack(each);
    if (!reading) return null;
    const { lack, off } = reading;
    const isFilled = off <= maxRelativeError && lack > beyondChance * off;
    const weight = isFilled ? 1 : paleShare ** 2 / (paleShare ** 2 + off ** 2);
    // Above 1 when air is darker there than its level, for example on one side of a background with a slope.
    const share = 1 - weight * (isFilled ? 1 : realShare) * lack;
    const [own, common] = [(weight * off) / share, ((1 - weight) * paleShare) / share];
    return { share, own, common, seen: isFilled ? share : 1 };
  };
  const known = voids.flatMap((each) => read(each) ?? []);
  const average = (of: (each: Emptiness) => number) =>
    known.reduce((sum, each) => sum + of(each), 0) / known.length;
  if (known.length === 0) {
    return () => ({ share: 1, own: 0, common: paleShare, seen: null });
  }
  const share = average((each) => each.share);
  // With few voids it is unknown how much the next one differs.
  const spread = average((each) => (each.share - share) ** 2) + (1 - share) ** 2 / known.length;
  const left = average(({ own, common }) => own ** 2 + common ** 2);
  const common = Math.hypot(Math.sqrt(spread) / share, Math.min(paleShare, Math.sqrt(left)));
  return (place) => read(place) ?? { share, own: 0, common, seen: null };
}

/** Share of the measured deficits that is real; small when all of them are within the reading error. */
function findRealShare(readings: readonly { lack: number; noise: number; off: number }[]): number {
  let [squares, weights] = [0, 0];
  for (const { lack, noise, off } of readings) {
    squares += (lack ** 2 - noise ** 2) / off ** 2;
    weights += 1 / off ** 2;
  }
  const square = weights > 0 ? Math.max(0, squares / weights) : 0;
  return square / (square + minReadingError ** 2);
}

/** Share of its contrast that blur leaves in the middle of an empty ball of that volume. */
function readLeft(middle: Measured['middle'], volume: number, blur: number): number {
  const readRadius = (cells: number) => Math.cbrt((3 * Math.max(1, cells)) / (4 * Math.PI));
  const radius = readRadius(volume / Math.max(minLeftShare, middle.depth));
  const within = Math.min(radius, readRadius(middle.cells));
  return Math.max(minLeftShare, averageBlurredBall(within, radius, Math.hypot(blur, Math.sqrt(1 / 12))));
}

/** Scale of the values, and the prior for shells on that scale. */
interface Expectation {
  isLevelled: boolean;
  level: LevelPrior;
}

/** Number of sound places used for the prior, and the smallest useful number. */
const [placesForLevel, minForLevel] = [150, 12];
/** Safety factor on the observed spread of levels and slopes. */
const levelMargin = 4;
/** Smallest spreads. On the scale of local levels, voids themselves shift the levels, which no sound place shows. */
const minSpreads = { even: { spread: 0.001, slope: 0.0001 }, levelled: { spread: 0.01, slope: 0.002 } };

/**
 * Common level of the shells of sound places and its spread without noise; zero spread on an even scan. There the
 * scan's own values are more precise than those on the scale of local levels, which carry the noise of these levels.
 */
async function expectLevels(
  { level, field }: ShellRequest,
  sound: PlacedPatch[],
  measure: (patches: PlacedPatch[], how: Expectation) => Promise<Measured[]>,
): Promise<Expectation> {
  if (sound.length < minForLevel) return { isLevelled: field !== null, level };
  const step = Math.ceil(sound.length / placesForLevel);
  const some = sound.filter((_, i) => i % step === 0);
  const ways = await Promise.all(
    (field ? [false, true] : [false]).map(async (isLevelled) => ({
      isLevelled,
      level: expectLevel(
        await measure(some, { isLevelled, level }),
        minSpreads[isLevelled ? 'levelled' : 'even'],
      ),
    })),
  );
  return ways.reduce((a, b) => (b.level.spread < a.level.spread ? b : a));
}

function expectLevel(all: readonly Measured[], least: Omit<LevelPrior, 'mean'>): LevelPrior {
  const clear = all.filter(isClear);
  const known = clear.length < minForLevel ? all : clear;
  const levels = known.map(({ level }) => level[0]).sort((a, b) => a - b);
  const mean = levels[levels.length >> 1];
  const measureSpread = (k: number, expected: number) => {
    // The median, so that single places that contain something do not count.
    const squares = known.map(({ level }) => (level[k] - expected) ** 2).sort((a, b) => a - b);
    const seen = squares[squares.length >> 1] / medianOfSquares;
    const noise = known.reduce((sum, { variances }) => sum + variances[k], 0) / known.length;
    return Math.max(0, seen - noise);
  };
  return {
    mean,
    spread: Math.max(least.spread, levelMargin * Math.sqrt(measureSpread(0, mean))),
    slope: Math.max(
      least.slope,
      levelMargin * Math.sqrt((measureSpread(1, 0) + measureSpread(2, 0) + measureSpread(3, 0)) / 3),
    ),
  };
}

interface Measured extends MeasuredPlace {
  depth: number;
  /** see ShellIntegral */
  middle: { depth: number; cells: number };
  level: readonly number[];
  variances: readonly number[];
  patchiness: number;
  /** whether a denser material lies in the integral, or its edge does */
  isBesideDenser: boolean;
}

const isClear = ({ isBesideDenser }: Measured): boolean => !isBesideDenser;

const measureSize = ({ from, to }: Place) => to.reduce((all, n, k) => all * (n - from[k]), 1);

/** Reads the grey values of some boxes. */
async function gatherBatch(
  { source, cells, levels }: ShellRequest,
  batch: readonly PlacedPatch[],
  stage: BitStage,
): Promise<void> {
  const { arena } = stage;
  const [nx, ny] = source.grid.dimensions;
  const { dataType } = source;
  for (const [from, to] of planeRanges(batch, cells.from[2])) {
    const size = Math.min(to - from, planesPerRead(source, stage));
    const range = { from, to, size, purpose: 'Measuring voids' };
    await eachPlanes(source, cells, arena, range, (zFrom, zTo, { address, first }) => {
      const [a, b] = [zFrom - cells.from[2], zTo - cells.from[2]];
      const patches = batch.filter((patch) => patch.from[2] < b && patch.to[2] > a);
      const planes = address + (zFrom - first) * nx * ny * bytesPerVoxel[dataType];
      const input = {
        dataType,
        source: planes,
        nx,
        ny,
        zFrom,
        zTo,
        region: cells.from,
        ...levels,
        patches,
      };
      return arena.run(gatherPatches, input);
    });
  }
}

async function measureBatch(
  { cells, runs, air, reach, noise, field, levels, denserFrom }: ShellRequest,
  batch: readonly PlacedPatch[],
  { isLevelled, level }: Expectation,
  { grid, arena }: BitStage,
): Promise<Measured[]> {
  const pieces = listPieces(batch);
  const found = pieces.map((): Measured[] => []);
  const scale = isLevelled && field ? { field, region: cells.from, ...levels } : null;
  await inPieces(arena, { from: 0, to: pieces.length, size: 1 }, async (piece) => {
    const patches = pieces[piece];
    const input = { grid, air, runs, options: { reach, noise, level }, scale, denserFrom, patches };
    const numbers = await arena.run(measurePatches, input);
    found[piece] = patches.map(({ ball }, i) => {
      const [volume, deviation, count, depth, middleDepth, middleCells, x, y, z, ...rest] = numbers.subarray(
        shellNumbers * i,
        shellNumbers * (i + 1),
      );
      const center: Vector3 = ball?.center ?? [x, y, z];
      return {
        volume,
        deviation,
        cells: count,
        depth,
        middle: { depth: middleDepth, cells: middleCells },
        center,
        level: rest.slice(0, 4),
        variances: rest.slice(4, 8),
        patchiness: rest[8],
        isBesideDenser: rest[9] === 1,
      };
    });
  });
  return found.flat();
}

/** Planes of the volume that contain boxes, as ranges that do not touch. */
function planeRanges(places: readonly Place[], first: number): [number, number][] {
  const ranges: [number, number][] = [];
  for (const { from, to } of places.toSorted((a, b) => a.from[2] - b.from[2])) {
    const last = ranges.at(-1);
    if (last && from[2] + first <= last[1]) last[1] = Math.max(last[1], to[2] + first);
    else ranges.push([from[2] + first, to[2] + first]);
  }
  return ranges;
}

function listPieces(patches: readonly PlacedPatch[]): PlacedPatch[][] {
  const pieces: PlacedPatch[][] = [];
  let room = 0;
  for (const patch of patches) {
    const size = measureSize(patch);
    if (size > room) {
      pieces.push([]);
      room = cellsPerTask;
    }
    pieces.at(-1)?.push(patch);
    room -= size;
  }
  return pieces;
}
