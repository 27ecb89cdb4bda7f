/** Levels of a scan from its blocks: air, materials, noise, and how uniform they are. */
import type { GreyPeaks, Histogram } from '../grid/histogram.ts';
import { otsuLevel } from '../grid/histogram.ts';
import { materialPeaks } from '../grid/materials.ts';
import type { Vector3 } from '../grid/volume.ts';
import { solveSymmetric } from '../linear/least-squares.ts';
import { selectNth } from '../select-nth.ts';
import { type BlockGrid, blockCells } from './block-grid.ts';

export interface BlockLevels {
  air: number;
  /** ascending; at least one */
  materials: { grey: number; share: number }[];
  /** half-way between air and the lightest material, after subtracting the plane of the air */
  level: number;
  /** standard deviation of single cells in air or material, whichever is larger */
  noise: number;
  /** slopes of the air's grey value per block along x, y, z, and its value at the centre of the scan */
  airPlane: { middle: number; slopes: Vector3 };
  /** 0 unknown or mixed, 1 air, 2 material: blocks whose neighbours have about the same grey value */
  even: Uint8Array;
  /** standard deviation of block means relative to white noise, in air; null when too few blocks are uniform */
  grain: number | null;
}

const bins = 512;
/**
 * Neighbouring blocks of one material differ by less than `evenWithin` of the contrast plus `evenDeviations` standard
 * deviations of their noise, and by at most `maxWithin` of the contrast.
 */
const evenWithin = 0.1;
const evenDeviations = 5;
const maxWithin = 0.2;
/** With fewer uniform blocks a phase is ignored. */
const minBlocks = 12;
/** Smallest number of blocks inside a material. */
const minCores = 8;
/** A second material must differ by this share of the whole contrast and fill this share of the material's blocks. */
const leastStep = 0.12;
/** Haze from dense walls in their hollows exceeds air by less than this share of the height of the brightest blocks. */
const haze = 0.1;
const minShare = 0.01;
/** Peaks of noise are closer together than this many standard deviations of a block's mean. */
const minDeviations = 6;

/**
 * Standard deviation within the blocks of the strongest edges: half of the difference between the levels on both sides.
 */
export function listEdges({ deviations }: BlockGrid): number {
  const sorted = Float32Array.from(deviations.filter((value) => value >= 0)).sort();
  return sorted[Math.floor(0.999 * (sorted.length - 1))];
}

/**
 * Correlation between the means of blocks three apart, along the axis where it is strongest; close to 0 when there is
 * only noise, also correlated noise.
 */
export function findStructure({ means, size }: BlockGrid): number {
  const [bx, by, bz] = size;
  const strides = [1, bx, bx * by];
  const apart = 3;
  let strongest = 0;
  for (let axis = 0; axis < 3; axis++) {
    let [n, a, b, aa, bb, ab] = [0, 0, 0, 0, 0, 0];
    for (let k = 0; k < bz - (axis === 2 ? apart : 0); k++) {
      for (let j = 0; j < by - (axis === 1 ? apart : 0); j++) {
        for (let i = 0; i < bx - (axis === 0 ? apart : 0); i++) {
          const at = (k * by + j) * bx + i;
          const [u, v] = [means[at], means[at + apart * strides[axis]]];
          if (!Number.isFinite(u + v)) continue;
          n++;
          a += u;
          b += v;
          aa += u * u;
          bb += v * v;
          ab += u * v;
        }
      }
    }
    const spread = Math.sqrt((n * aa - a * a) * (n * bb - b * b));
    if (spread > 0) strongest = Math.max(strongest, (n * ab - a * b) / spread);
  }
  return strongest;
}

/**
 * Determines the levels of a scan.
 * @param peaks of the histogram of all cells, for scans whose walls are too thin to contain a block
 * @returns null when all blocks are alike
 */
export function findLevels(blocks: BlockGrid, peaks: GreyPeaks | null): BlockLevels | null {
  const { means } = blocks;
  const finite = gather(means, (i) => Number.isFinite(means[i])).sort();
  if (finite.length === 0) return null;
  const at = (share: number) => finite[Math.min(finite.length - 1, Math.floor(share * finite.length))];
  const otsu = otsuLevel(makeHistogram(finite));
  if (otsu === null || !(at(1) > at(0))) return null;
  const below = meanWhere(finite, (value) => value < otsu);
  const { cells: rough, blocks: roughMeans } = measureNoise(blocks, () => true) ?? { cells: 0, blocks: 0 };
  let airPlane: BlockLevels['airPlane'] = { middle: below, slopes: [0, 0, 0] };
  let grey: Float32Array = means;
  const brightest = at(0.999) - below;
  let contrast = brightest;
  let level = otsu;
  let even = evenBlocks(blocks, grey, level, contrast, rough);
  let materials: BlockLevels['materials'] = [];
  // Alternates between the plane of the air, the peaks of the remainder, and the classification of blocks.
  for (let round = 0; round < 3; round++) {
    const air = fitPlane(blocks, (i) => even[i] === 1);
    if (air) {
      airPlane = air;
      grey = withoutPlane(blocks, air);
    }
    const places = gather(grey, (i) => even[i] > 0 && Number.isFinite(grey[i]));
    const found = places.length >= 4 * minBlocks ? materialPeaks(makeHistogram(places)) : null;
    // The lowest peak is air; at first, the lightest of several materials may have been mistaken for it.
    const least = minDeviations * Math.max(rough / 8, roughMeans);
    const isParted = found !== null && found[found.length - 1] - found[0] > least;
    const base = isParted ? found[0] : air ? 0 : airPlane.middle;
    const hills = isParted ? found.slice(1).filter((hill) => hill - base > haze * brightest) : [];
    materials = hills.length > 0 ? withCores(blocks, grey, base, hills) : [];
    if (materials.length === 0) materials = [{ grey: single(grey, even, base, peaks), share: 1 }];
    level = (base + materials[0].grey) / 2;
    contrast = materials[materials.length - 1].grey - base;
    even = evenBlocks(blocks, grey, level, contrast, rough);
    if (air) materials = materials.map((each) => ({ ...each, grey: each.grey + air.middle }));
  }
  const [inAir, inMaterial] = [1, 2].map((kind) => measureNoise(blocks, (i) => even[i] === kind));
  return {
    air: airPlane.middle,
    materials,
    level: (airPlane.middle + materials[0].grey) / 2,
    noise: inAir || inMaterial ? Math.max(inAir?.cells ?? 0, inMaterial?.cells ?? 0) : rough,
    grain: measureGrain(inAir ?? inMaterial),
    airPlane,
    even,
  };
}

const measureGrain = (noise: { cells: number; blocks: number } | null): number | null =>
  noise && noise.cells > 0 ? (noise.blocks * Math.sqrt(blockCells ** 3)) / noise.cells : null;

/** Grey value of a single material; when it fills no block, that of its brightest blocks or the histogram's peak. */
function single(grey: Float32Array, even: Uint8Array, base: number, peaks: GreyPeaks | null): number {
  const inside = gather(grey, (i) => even[i] === 2).sort();
  if (inside.length >= minBlocks) return inside[Math.floor(inside.length / 2)];
  const brightest = gather(grey, (i) => Number.isFinite(grey[i])).sort();
  const most = brightest[Math.max(0, brightest.length - 1 - minBlocks)];
  return Math.max(most, peaks ? base + peaks.material - peaks.air : most);
}

/** Index of the nearest of ascending grey values. */
function findNearest(value: number, greys: readonly number[]): number {
  let nearest = 0;
  for (let m = 1; m < greys.length; m++) {
    if (Math.abs(value - greys[m]) < Math.abs(value - greys[nearest])) nearest = m;
  }
  return nearest;
}

/**
 * Selects the peaks that are materials: a share of their blocks has six neighbours of the same kind. Rings and edges
 * form peaks of narrow bands, which have no such blocks.
 */
function withCores(
  { size }: BlockGrid,
  grey: Float32Array,
  base: number,
  hills: readonly number[],
): BlockLevels['materials'] {
  const all = [base, ...hills];
  const kinds = new Uint8Array(grey.length);
  for (let at = 0; at < grey.length; at++) kinds[at] = findNearest(grey[at], all);
  const [bx, by] = size;
  const layer = bx * by;
  const counts = all.map(() => 0);
  for (let at = layer; at < grey.length - layer; at++) {
    const kind = kinds[at];
    if (kind === 0 || kinds[at + 1] !== kind || kinds[at - 1] !== kind) continue;
    if (kinds[at + bx] !== kind || kinds[at - bx] !== kind) continue;
    if (kinds[at + layer] === kind && kinds[at - layer] === kind) counts[kind]++;
  }
  const cores = counts.reduce((sum, count) => sum + count, 0);
  const share = (m: number) => counts[m] / Math.max(1, cores);
  const step = leastStep * (hills[hills.length - 1] - base);
  const kept: number[] = [];
  for (let m = 1; m < all.length; m++) {
    const before = kept.length > 0 ? all[kept[kept.length - 1]] : base;
    if (share(m) >= minShare && counts[m] >= minCores && all[m] - before >= step) kept.push(m);
  }
  const sum = kept.reduce((total, m) => total + share(m), 0);
  return kept.map((m) => ({ grey: all[m], share: share(m) / sum }));
}

/** Classifies blocks as air or material when all neighbours have about the same grey value. */
function evenBlocks(
  { size, deviations }: BlockGrid,
  grey: Float32Array,
  level: number,
  contrast: number,
  noise: number,
): Uint8Array {
  const [bx, by, bz] = size;
  const even = new Uint8Array(grey.length);
  const within = Math.min(evenWithin * contrast + (evenDeviations * noise) / 8, maxWithin * contrast);
  // Structure finer than a block shows in the standard deviation within it.
  const deviation = Math.hypot(0.1 * contrast, 1.35 * noise);
  const isNear = (value: number, other: number) => Math.abs(value - other) < within;
  for (let k = 0; k < bz; k++) {
    for (let j = 0; j < by; j++) {
      for (let i = 0; i < bx; i++) {
        const at = (k * by + j) * bx + i;
        const value = grey[at];
        if (!(deviations[at] < deviation)) continue;
        if (i > 0 && !isNear(value, grey[at - 1])) continue;
        if (i + 1 < bx && !isNear(value, grey[at + 1])) continue;
        if (j > 0 && !isNear(value, grey[at - bx])) continue;
        if (j + 1 < by && !isNear(value, grey[at + bx])) continue;
        if (k > 0 && !isNear(value, grey[at - bx * by])) continue;
        if (k + 1 < bz && !isNear(value, grey[at + bx * by])) continue;
        even[at] = value < level ? 1 : 2;
      }
    }
  }
  return even;
}

/**
 * Median standard deviation within a block, combined with the difference between means of neighbouring blocks: noise
 * with a grain as coarse as a block shows only there.
 */
function measureNoise(
  { deviations, means, size }: BlockGrid,
  isOne: (block: number) => boolean,
): { cells: number; blocks: number } | null {
  const own = new Float64Array(means.length);
  const between = new Float64Array(means.length);
  let [owns, betweens] = [0, 0];
  const [bx] = size;
  for (let i = 1; i + 1 < means.length; i++) {
    if (!isOne(i) || !(deviations[i] >= 0) || !Number.isFinite(means[i])) continue;
    own[owns++] = deviations[i];
    if (i % bx > 0 && i % bx < bx - 1 && isOne(i - 1) && isOne(i + 1)) {
      const difference = means[i] - (means[i - 1] + means[i + 1]) / 2;
      if (Number.isFinite(difference)) between[betweens++] = Math.abs(difference);
    }
  }
  if (owns < minBlocks) return null;
  const spread = takeMedian(between.subarray(0, betweens)) / 0.6745 / Math.sqrt(1.5);
  return { cells: Math.hypot(takeMedian(own.subarray(0, owns)), spread), blocks: spread };
}

function fitPlane(blocks: BlockGrid, isOne: (block: number) => boolean): BlockLevels['airPlane'] | null {
  const { means, size } = blocks;
  let plane: BlockLevels['airPlane'] | null = null;
  let spread = Number.POSITIVE_INFINITY;
  for (let pass = 0; pass < 4; pass++) {
    // Normal equations of 1, x, y, z about the centre.
    const sums = Array.from({ length: 4 }, () => [0, 0, 0, 0]);
    const side = [0, 0, 0, 0];
    const residuals = new Float64Array(means.length);
    const row = [1, 0, 0, 0];
    let count = 0;
    eachBlock(size, (at, place) => {
      const value = means[at];
      if (!isOne(at) || !Number.isFinite(value)) return;
      const off = plane ? value - planeAt(plane, place) : 0;
      if (Math.abs(off) > 3 * spread) return;
      residuals[count++] = Math.abs(off);
      for (let k = 0; k < 3; k++) row[k + 1] = place[k];
      for (let a = 0; a < 4; a++) {
        const into = sums[a];
        for (let b = 0; b < 4; b++) into[b] += row[a] * row[b];
        side[a] += row[a] * value;
      }
    });
    if (count < 4 * minBlocks) return plane;
    const solved = solveSymmetric(sums, side)?.[0];
    if (!solved) return plane;
    if (pass > 0) spread = Math.max(takeMedian(residuals.subarray(0, count)) / 0.6745, 1e-12);
    plane = { middle: solved[0], slopes: [solved[1], solved[2], solved[3]] };
  }
  return plane;
}

const planeAt = ({ middle, slopes }: BlockLevels['airPlane'], [x, y, z]: Vector3) =>
  middle + slopes[0] * x + slopes[1] * y + slopes[2] * z;

/** Grey values above the plane. */
export function withoutPlane({ means, size }: BlockGrid, plane: BlockLevels['airPlane']): Float32Array {
  const left = new Float32Array(means.length);
  eachBlock(size, (at, place) => {
    left[at] = means[at] - planeAt(plane, place);
  });
  return left;
}

/** @param work receives the number of a block and its position relative to the centre of the scan, in blocks */
export function eachBlock([bx, by, bz]: Vector3, work: (at: number, place: Vector3) => void): void {
  const place: Vector3 = [0, 0, 0];
  let at = 0;
  for (let k = 0; k < bz; k++) {
    place[2] = k - (bz - 1) / 2;
    for (let j = 0; j < by; j++) {
      place[1] = j - (by - 1) / 2;
      for (let i = 0; i < bx; i++) {
        place[0] = i - (bx - 1) / 2;
        work(at++, place);
      }
    }
  }
}

export const median = (values: readonly number[]): number => takeMedian(new Float64Array(values));

/** Reorders the values. */
const takeMedian = (values: Float64Array): number =>
  values.length === 0 ? 0 : selectNth(values, Math.floor(values.length / 2));

function gather(values: Float32Array, isOne: (block: number) => boolean): Float32Array {
  const kept = new Float32Array(values.length);
  let count = 0;
  for (let i = 0; i < values.length; i++) if (isOne(i)) kept[count++] = values[i];
  return kept.subarray(0, count);
}

function meanWhere(values: Float32Array, isOne: (value: number) => boolean): number {
  let [sum, count] = [0, 0];
  for (const value of values) {
    if (!isOne(value)) continue;
    sum += value;
    count++;
  }
  return count > 0 ? sum / count : Number.NaN;
}

function makeHistogram(values: Float32Array): Histogram {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const width = (high - low || 1) / (bins - 20);
  const min = low - 10 * width;
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) counts[Math.min(bins - 1, Math.floor((value - min) / width))]++;
  return { min, max: min + bins * width, counts };
}
