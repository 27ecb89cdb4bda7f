import type { GreyPeaks } from '../grid/histogram.ts';
import { peakBetween, smoothed } from '../grid/histogram.ts';
import type { CellBox } from '../grid/region.ts';
import type { SlabSource } from '../grid/volume.ts';
import { computeMedian } from '../select-nth.ts';
import { findMaterialOfWalls, type MaterialOfWalls } from '../walls/level-of-walls.ts';
import { normalShare } from './edge-blur.ts';
import type { SurfaceLevel } from './surface-level.ts';

/**
 * Numbers of layers of three planes, evenly over the height of the region (fewer for large planes, since reading costs
 * more than sampling), and the largest number of places in each.
 */
const maxLayers = 24;
const minLayers = 8;
const maxCells = 6e6;
const placesPerLayer = 20_000;
/**
 * A place counts as flat where the gradient per cell is below this share of the contrast; when there are too few such
 * places, the next share is tried: in a blurred wall of four cells no cell need lie exactly in the middle.
 */
const levelWithin = [0.04, 0.08, 0.16];
/** With fewer places a phase (air, material) keeps its previous peak. */
const minPlaces = 200;
const bins = 4096;
/** Range of the bins beyond air and material, as a share of the contrast. */
const margin = 0.4;

/**
 * Peaks of air and of each material, read only at places where grey values neither rise nor fall. In the histogram of
 * all cells, noise merges slightly blurred cells with the material's peak: for thin walls the peak comes out several
 * percent of the contrast too low. The gradient is taken from the surrounding cells (differences of means by 1 2 1,
 * without the cell itself), so that a cell's own noise does not decide whether it counts; with several materials its
 * grey value is a mean by 1 2 1, too. O(places); reads 24 to 72 planes. The result does not depend on the number of
 * threads.
 * @param peaks of air and each material as far as known, ascending
 * @param levels thresholds between them, one fewer
 * @returns for each phase its new peak, or the given one when there are too few such places
 */
export async function levelPeaks(
  source: SlabSource,
  { cells, peaks, levels }: { cells: CellBox; peaks: readonly number[]; levels: readonly number[] },
): Promise<number[]> {
  const size = [0, 1, 2].map((k) => cells.to[k] - cells.from[k]);
  const span = peaks[peaks.length - 1] - peaks[0];
  // The smallest step between two materials must not count as flat, either.
  const contrast = Math.min(...peaks.slice(1).map((peak, i) => peak - peaks[i]));
  if (Math.min(...size) < 3 || !(contrast > 0)) return [...peaks];
  const [nx, ny] = source.grid.dimensions;
  const step = Math.max(1, Math.ceil(Math.sqrt((size[0] * size[1]) / placesPerLayer)));
  // With several materials the noise may be as wide as the steps between them.
  const isOfMeans = peaks.length > 2;
  const first = peaks[0] - margin * span;
  const width = ((1 + 2 * margin) * span) / bins;
  const counts = levelWithin.map(() => new Array<number>(bins).fill(0));
  const within = levelWithin.map((share) => (32 * share * contrast) ** 2);
  const layers = Math.max(minLayers, Math.min(maxLayers, Math.floor(maxCells / (3 * nx * ny))));
  const count = Math.min(layers, size[2] - 2);
  for (let layer = 0; layer < count; layer++) {
    const z = cells.from[2] + Math.floor(((layer + 0.5) * (size[2] - 2)) / count);
    const slab = await source.readSlab(z, z + 3);
    for (let y = cells.from[1] + 1; y < cells.to[1] - 1; y += step) {
      for (let x = cells.from[0] + 1; x < cells.to[0] - 1; x += step) {
        const at = (ny + y) * nx + x;
        const value = isOfMeans ? meanAround(slab, nx, nx * ny, at) : slab[at];
        const bin = Math.floor((value - first) / width);
        if (!(bin >= 0 && bin < bins)) continue;
        const slope = squaredSlope(slab, nx, nx * ny, at);
        for (let i = within.length - 1; i >= 0 && slope < within[i]; i--) counts[i][bin]++;
      }
    }
  }
  const splits = [0, ...levels.map((level) => Math.round((level - first) / width)), bins];
  return peaks.map((before, i) => {
    const [from, to] = [splits[i], splits[i + 1]];
    const enough = counts.find((each) => computeTotal(each, from, to) >= minPlaces);
    const peak = enough ? peakBetween(enough, smoothed(enough, bins / 100), from, to) : null;
    return peak === null ? before : first + (peak + 0.5) * width;
  });
}

/** levelPeaks for air and one material. */
export async function findPeaksAtLevelPlaces(
  source: SlabSource,
  { cells, isoValue, peaks }: { cells: CellBox; isoValue: number; peaks: GreyPeaks },
): Promise<GreyPeaks> {
  const wanted = { cells, peaks: [peaks.air, peaks.material], levels: [isoValue] };
  const [air, material] = await levelPeaks(source, wanted);
  return { air, material, iso50: (air + material) / 2 };
}

/**
 * The level midway between the peaks at flat places, when the mode is iso50 and peaks exist. When no place is deep
 * enough in the part to show the material's grey value, it is estimated from wall profiles.
 * @param isShallow few places are deep in material: also estimate how well these determine the level
 * @param blurVoxels standard deviation of the edges; measured on the surface when no flat edge shows it. Where few places
 * are deep, the level counts as known only if blur leaves some of them the full grey value
 * @param isOne there is no denser material, so a small part may take its grey value from the few places deep in it
 */
export async function findLevelOfPlaces(
  source: SlabSource,
  level: SurfaceLevel,
  {
    cells,
    mode,
    isOne,
    isShallow = false,
    blurVoxels = null,
  }: {
    cells: CellBox;
    mode: string;
    isOne?: boolean;
    isShallow?: boolean;
    blurVoxels?: number | null;
  },
): Promise<SurfaceLevel> {
  if (!level.peaks || mode !== 'iso50') return level;
  const peaks = await findPeaksAtLevelPlaces(source, { ...level, peaks: level.peaks, cells });
  const { air } = peaks;
  const found: SurfaceLevel = { isoValue: peaks.iso50, air, peaks, toldBy: 'depth' };
  const place = { cells, isoValue: peaks.iso50, air };
  if (!(peaks.material > air)) return found;
  const greys = await readDeep(source, place, deepLayers, isShallow ? Number.POSITIVE_INFINITY : minPlaces);
  const lack = greys.length > 0 ? (computeMedian(greys) - peaks.material) / (peaks.material - air) : 0;
  const isEnough = greys.length >= minPlaces && !(isOne && lack > maxDeficit);
  if (isEnough && !isShallow) return found;
  // With few deep places the peak may come from blurred edges, which are darker.
  const few = isEnough
    ? { ...found, peaks, contrastWithin: lack }
    : isOne
      ? await findLevelOfFew(source, place)
      : null;
  const ofDepth = few && (await confirmLevel(source, place, few, blurVoxels));
  if (ofDepth && !isOne) return ofDepth;
  // A median filter flattens walls of three voxels, and each wall is fitted over so many voxels that noise averages out.
  const walls = await findMaterialOfWalls(source.medianSource ?? source, place);
  if (!walls) return ofDepth ?? { ...found, toldBy: 'nothing' };
  const wallBlur = walls.blurMm / Math.min(...source.grid.voxelSizeMm);
  if (few && ofDepth && !isDarkenedByBlur(few.peaks, walls, wallBlur)) return ofDepth;
  const material = air + walls.contrast;
  const iso50 = (air + material) / 2;
  return {
    isoValue: iso50,
    air,
    peaks: { air, material, iso50 },
    toldBy: 'walls',
    contrastWithin: walls.contrastWithin,
    blurVoxels: wallBlur,
  };
}

/**
 * Whether walls are brighter than the few deep places by more than their uncertainty, and by no more than blur explains
 * half a voxel closer to two faces than deep places should be: at a level that is too low, they lie closer.
 */
function isDarkenedByBlur(
  { air, material }: GreyPeaks,
  { contrast, contrastWithin }: MaterialOfWalls,
  wallBlur: number,
): boolean {
  const lack = 1 - (material - air) / contrast;
  const nearest = (depth - 0.5) / Math.hypot(wallBlur, Math.sqrt(1 / 12));
  return lack > contrastWithin && lack < 2 * normalShare(-nearest);
}

/** A place is deep when this many cells on all sides are of the same phase. */
const depth = 2;
/** Number of slabs searched for deep places; a small part is searched completely. */
const deepLayers = 12;
/**
 * Few places determine the grey value when the standard error of their median is below this share of the contrast, and
 * there are at least this many.
 */
const [maxMedianError, minDeep] = [0.01, 27];
/** A peak that lies further below the deep places, as a share of the contrast, comes from blurred edges. */
const maxDeficit = 0.1;
/**
 * With a level that is too low, deep places lie closer to the faces; they are then searched again with the corrected
 * level.
 */
const maxTurns = 3;
/** Ratio of the standard errors of median and mean, and the median absolute value of a standard normal variable. */
const [ofMedian, medianOfNormal] = [Math.sqrt(Math.PI / 2), 0.6745];

/** Distance from the surface, in standard deviations of its edges, at which blur leaves 99 % of the full grey value. */
const certainDeviations = 2.5;
/** k = 1 of the grey value that blur takes from such places: the interval holds 1.2 times of it. */
const leftShare = 0.6;
/** Voxels from the centre to the edge of the largest such ball: wider blur leaves nothing that would confirm a level. */
const maxBall = 12;

/**
 * Compares a level of few deep places with those where a ball lies in the part that is large enough for blur. If there
 * are hardly any, the level may be as far off as blurred edges are from deep places.
 */
async function confirmLevel(
  source: SlabSource,
  place: DeepPlace,
  level: LevelOfFew,
  blurVoxels: number | null,
): Promise<SurfaceLevel> {
  const { air, material, iso50 } = level.peaks;
  const at = { ...place, isoValue: iso50 };
  const own = blurVoxels ?? (await findOwnBlur(source, at, material - air));
  const known = own === null ? level : { ...level, blurVoxels: own };
  const edge = Math.hypot(own ?? unseenBlur, Math.sqrt(1 / 12));
  const ballVoxels = Math.max(depth, certainDeviations * edge);
  const isWide = ballVoxels > maxBall;
  const greys = isWide ? [] : await readDeep(source, { ...at, ballVoxels }, layersOfFew(source), Infinity);
  if (greys.length < minDeep) return { ...known, contrastWithin: maxDeficit };
  const lack = (computeMedian(greys) - material) / (material - air);
  const error = Math.max(maxMedianError, findMedianError(greys) / (material - air));
  // Whole voxels fit into the ball: the nearest face may be that close to all of these places.
  const left = leftShare * normalShare(-Math.floor(ballVoxels) / edge);
  return { ...known, contrastWithin: Math.hypot(level.contrastWithin, lack, error, left) };
}

/** Cells this close to the level, as a share of the contrast, show the slope of edges; the steepest quarter is flat. */
const [slopeWithin, ofSteepest, minSlopes] = [0.15, 0.75, 100];
/** Variance in voxels² by which a voxel's own length and the differences widen an edge, on average over directions. */
const slopeVariance = 1 / 12 + 0.37;
/** Blur assumed in voxels when the surface has too few voxels to show it. */
const unseenBlur = 1.2;

/** Blur in voxels from the slope of the grey values where they pass the level; null with too few such places. */
async function findOwnBlur(
  source: SlabSource,
  { cells, isoValue }: DeepPlace,
  contrast: number,
): Promise<number | null> {
  const [nx, ny] = source.grid.dimensions;
  const step = Math.max(1, Math.ceil(Math.sqrt((nx * ny) / placesPerLayer)));
  const height = cells.to[2] - cells.from[2] - 2;
  const count = Math.min(maxLayers, height);
  const slopes: number[] = [];
  for (let layer = 0; layer < count; layer++) {
    const z = cells.from[2] + Math.floor(((layer + 0.5) * height) / count);
    const slab = await source.readSlab(z, z + 3);
    for (let y = cells.from[1] + 1; y < cells.to[1] - 1; y += step) {
      for (let x = cells.from[0] + 1; x < cells.to[0] - 1; x += step) {
        const at = (ny + y) * nx + x;
        if (Math.abs(slab[at] - isoValue) < slopeWithin * contrast)
          slopes.push(Math.sqrt(squaredSlope(slab, nx, nx * ny, at)) / 32 / contrast);
      }
    }
  }
  if (slopes.length < minSlopes) return null;
  const steep = slopes.sort((a, b) => a - b)[Math.floor(ofSteepest * slopes.length)];
  return Math.sqrt(Math.max(0, 1 / (2 * Math.PI * steep ** 2) - slopeVariance));
}

/** Standard error of the median of normally distributed values. */
function findMedianError(values: readonly number[]): number {
  const median = computeMedian(values);
  const spread = computeMedian(values.map((value) => Math.abs(value - median))) / medianOfNormal;
  return (ofMedian * spread) / Math.sqrt(values.length);
}

const layersOfFew = ({ grid: { dimensions } }: SlabSource) =>
  Math.max(deepLayers, Math.floor(maxCells / (dimensions[0] * dimensions[1])));

type LevelOfFew = SurfaceLevel & { peaks: GreyPeaks; contrastWithin: number };

interface DeepPlace {
  cells: CellBox;
  isoValue: number;
  air: number;
  /** radius of a ball that must lie in the part, instead of the cube of the usual depth */
  ballVoxels?: number;
}

/**
 * The level of a part so small that few places lie deep in it, from these places alone.
 * @returns null when they do not determine it
 */
async function findLevelOfFew(source: SlabSource, place: DeepPlace): Promise<LevelOfFew | null> {
  const { air } = place;
  let { isoValue } = place;
  let found: LevelOfFew | null = null;
  const layers = layersOfFew(source);
  for (let turn = 0; turn < maxTurns; turn++) {
    const greys = await readDeep(source, { ...place, isoValue }, layers, Number.POSITIVE_INFINITY);
    const material = computeMedian(greys);
    const within = findMedianError(greys) / (material - air);
    if (greys.length < minDeep || !(within < maxMedianError)) return null;
    const iso50 = (air + material) / 2;
    found = {
      ...{ isoValue: iso50, air, peaks: { air, material, iso50 }, toldBy: 'depth' },
      contrastWithin: within,
    };
    if (iso50 <= isoValue + maxMedianError * (material - air)) break;
    isoValue = iso50;
  }
  return found;
}

/**
 * Grey values of places deep enough in the part to show the material's full brightness; a wall of four voxels has none.
 */
async function readDeep(
  source: SlabSource,
  { cells, isoValue, ballVoxels }: DeepPlace,
  layers: number,
  most: number,
): Promise<number[]> {
  const [nx, ny] = source.grid.dimensions;
  const reach = Math.floor(ballVoxels ?? depth);
  const planes = 2 * reach + 1;
  const around = listAround(reach, ballVoxels ?? Number.POSITIVE_INFINITY, nx, nx * ny);
  const height = cells.to[2] - cells.from[2];
  const found: number[] = [];
  if (Math.min(...cells.to.map((to, k) => to - cells.from[k])) < planes) return found;
  const step = Math.max(1, Math.ceil(Math.sqrt((nx * ny) / placesPerLayer)));
  const count = Math.min(layers, height - planes + 1);
  for (let layer = 0; layer < count; layer++) {
    const z = cells.from[2] + Math.floor(((layer + 0.5) * (height - planes + 1)) / count);
    const slab = await source.readSlab(z, z + planes);
    for (let y = cells.from[1] + reach; y < cells.to[1] - reach; y += step) {
      for (let x = cells.from[0] + reach; x < cells.to[0] - reach; x += step) {
        const at = (reach * ny + y) * nx + x;
        if (!isDeep(slab, at, isoValue, around)) continue;
        found.push(slab[at]);
        if (found.length >= most) return found;
      }
    }
  }
  return found;
}

/** Steps to the cells of a cube, or of the ball in it; its corners come first, which are the first to lie outside. */
function listAround(reach: number, radius: number, nx: number, plane: number): Int32Array {
  const edge = 2 * reach + 1;
  const cells = Array.from({ length: edge ** 3 }, (_, n) => {
    const [x, y, z] = [n % edge, Math.floor(n / edge) % edge, Math.floor(n / edge ** 2)].map(
      (m) => m - reach,
    );
    return { far: Math.hypot(x, y, z), step: z * plane + y * nx + x };
  }).filter(({ far }) => far <= radius);
  return Int32Array.from(
    cells.sort((a, b) => b.far - a.far),
    ({ step }) => step,
  );
}

function isDeep(slab: Values, at: number, isoValue: number, around: Int32Array): boolean {
  if (!(slab[at] > isoValue)) return false;
  for (let n = 0; n < around.length; n++) if (!(slab[at + around[n]] > isoValue)) return false;
  return true;
}

function computeTotal(counts: readonly number[], from: number, to: number): number {
  let total = 0;
  for (let bin = from; bin < to; bin++) total += counts[bin];
  return total;
}

type Values = ArrayLike<number>;

/** Weighted mean of the 3³ cells, 1 2 1 along each axis. */
function meanAround(slab: Values, nx: number, plane: number, at: number): number {
  let sum = 0;
  for (let k = -1; k <= 1; k++) {
    for (let j = -1; j <= 1; j++) {
      const row = at + k * plane + j * nx;
      sum += (slab[row - 1] + 2 * slab[row] + slab[row + 1]) * (2 - k * k) * (2 - j * j);
    }
  }
  return sum / 64;
}

/** Squared gradient in (grey values per cell)², times 32². */
function squaredSlope(slab: Values, nx: number, plane: number, at: number): number {
  let [x, y, z] = [0, 0, 0];
  for (let k = -1; k <= 1; k++) {
    for (let j = -1; j <= 1; j++) {
      const row = at + k * plane + j * nx;
      const a = slab[row - 1];
      const c = slab[row + 1];
      const across = a + 2 * slab[row] + c;
      x += (c - a) * (2 - k * k) * (2 - j * j);
      y += j * across * (2 - k * k);
      z += k * across * (2 - j * j);
    }
  }
  return x * x + y * y + z * z;
}
