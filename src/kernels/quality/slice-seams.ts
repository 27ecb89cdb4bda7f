/** Seams: places where stacks of slices were joined and do not match, because slices are doubled or missing. */
import { computeErf } from '../error-function.ts';
import type { DetailSlab } from './detail.ts';

/** Approximate number of voxels sampled per slice; smallest number of edge voxels between two slices. */
const [maxPerSlice, minVoxels] = [16_384, 20];
/** Grey values within this share of the contrast from the level belong to an edge. */
const nearLevel = 0.4;

/**
 * Limits of a jump: standard deviations of its noise, share of the contrast, and its relation to the step between the
 * two slices. Leaning or curved walls continue to step beyond the two slices; a jump stands out from that.
 */
const [minDeviations, minHeight] = [8, 0.15];
const [leastStep, maxStep, minBack, maxBeyond] = [0.6, 1.4, -0.25, 0.35];
/** Correlated noise jumps like that everywhere: with more slices than this share nothing is reported. */
const maxSliceShare = 0.1;

/**
 * A ledge or an end of the part between two slices continues in the slices before and after, by a share of its step
 * that follows from blur. A seam continues by less than this share of that, also when noise reduces it by this many
 * standard errors from nearly the full amount.
 */
const [shareOfLedge, nearlyLedge, noiseErrors] = [0.65, 0.9, 3];
/** In sharper scans nothing is reported: there, a ledge between two slices does not continue, either. */
const minBlur = 0.42;
/**
 * When no faces determine the blur across slices, it may be smaller than within them. Then as much must rise as falls,
 * or slices must repeat earlier ones; and with more such jumps than this, they are ledges of the part, such as crossed
 * bars. The blur is then assumed to be the first; the second when other faces are blurred unequally, as in scans that
 * are sharper across slices.
 */
const [unknownBlur, sharpBlur, balance, maxAlike] = [0.45, 0.3, 0.25, 2];
/**
 * Smallest share of a seam's jump that continues beyond it, where walls lean; or smallest share that rises or falls
 * against the rest.
 */
const [minLean, minBalance] = [0.03, 0.02];
/** Largest share of the steps at the seam that repeating slices may have, and largest number of repeated slices. */
const [maxStepShare, maxRepeated] = [0.1, 40];
/**
 * A change between two slices counts as a step from this share of the contrast on, and from this many standard
 * deviations of the noise.
 */
const [minRise, riseDeviations] = [0.5, 6.4];

/** Jump of edges between a slice and the one before. */
interface Jump {
  slice: number;
  /** in standard deviations of its noise, and as a share of the contrast */
  deviations: number;
  height: number;
  /**
   * as shares of the jump: the step between the two slices, and the largest and smallest excess of the adjacent steps
   * over those further off
   */
  step: number;
  goesOn: number;
  goesBack: number;
  /** the largest of the further steps, in either direction */
  beyond: number;
  /** the smaller of the rising and the falling share */
  balance: number;
  repeats: boolean;
}

/** Standard deviations in voxels across the slices, from edges not adjacent to a given slice; null when unknown. */
export interface SliceBlurs {
  /** of faces within the slices, converted to the slice direction */
  within: number | null;
  across: number | null;
  /** as far as can be determined, all faces across slices are blurred equally, and like those within them */
  isEven: boolean;
}

/** Steps of the edges' grey values from slice to slice, each compared with the two before and after it. */
export class SeamSums {
  private readonly isSeen: Uint8Array;
  private readonly jumps: Jump[] = [];
  /** number of slices with edges that jump */
  private slices = 0;

  constructor(slices: number) {
    this.isSeen = new Uint8Array(slices);
  }

  /** Adds the slices not yet seen. O(cells) for slices with up to 16,384 voxels. */
  add(slab: DetailSlab): void {
    const [nx, ny] = slab.dimensions;
    const every = Math.max(1, Math.round((nx * ny) / maxPerSlice));
    for (let z = 3; z + 2 < slab.planes; z++) {
      if (this.isSeen[slab.first + z] === 1) continue;
      this.isSeen[slab.first + z] = 1;
      const jump = findJump(slab, z, every);
      if (!jump) continue;
      this.slices++;
      if (isClear(jump)) this.jumps.push({ ...jump, repeats: doSlicesRepeat(slab, z, every) });
    }
  }

  /**
   * Slices that do not match the one before: edges that change between the two change in the adjacent slices only as
   * much as further off, although blur would spread an edge over its neighbours.
   * @param isNoisy false for a mask, which has neither blur nor noise, so that no edge continues
   */
  find(findBlurs: (slice: number) => SliceBlurs, isNoisy: boolean): number[] {
    if (!isNoisy) return [];
    const looked = this.jumps.map((jump) => ({ ...jump, ...findBlurs(jump.slice) }));
    const isOdd = (jump: Jump & SliceBlurs) =>
      (jump.repeats || jump.balance > balance) &&
      (jump.within ?? unknownBlur) > minBlur &&
      isJoint(jump, jump.isEven || jump.repeats ? unknownBlur : sharpBlur);
    const isLedged = looked.filter(isOdd).length > maxAlike;
    const found = looked.filter((jump) => {
      const { across, repeats } = jump;
      if ((repeats || across === null) && !isLedged && isOdd(jump)) return true;
      // When no wall leans and nothing ends the other way, only a ledge or an end rises or falls.
      const isLedge = jump.beyond < minLean && jump.balance < minBalance;
      return across !== null && across > minBlur && !isLedge && isJoint(jump, across);
    });
    if (found.length > Math.max(maxAlike, maxSliceShare * this.slices)) return [];
    return found.map(({ slice }) => slice).sort((a, b) => a - b);
  }
}

const isClear = ({ deviations, height, step, goesOn, goesBack, beyond }: Jump): boolean =>
  deviations > minDeviations &&
  height > minHeight &&
  step > leastStep &&
  step < maxStep &&
  goesOn < shareOfLedge &&
  goesBack > minBack &&
  beyond < maxBeyond;

/** @param blur across the slices, in voxels */
function isJoint({ deviations, goesOn }: Jump, blur: number): boolean {
  const ledge = computeLedge(blur);
  const fromNoise = (noiseErrors * Math.SQRT2) / deviations;
  return goesOn < Math.min(shareOfLedge * ledge, nearlyLedge * ledge - fromNoise);
}

/**
 * Excess of the steps adjacent to a ledge over those further off, relative to that of the ledge's own step; for a ledge
 * midway between two slices.
 */
function computeLedge(blur: number): number {
  const spread = Math.SQRT2 * Math.hypot(blur, 1 / Math.sqrt(12));
  const [own, beside, beyond] = [0, 1, 2].map(
    (n) => computeErf((n + 0.5) / spread) - computeErf((n - 0.5) / spread),
  );
  return (beside - beyond) / (own - beyond);
}

/** @returns null with too few voxels at edges */
function findJump(slab: DetailSlab, z: number, every: number): Jump | null {
  const { values, dimensions, first, levels } = slab;
  const [nx, ny] = dimensions;
  const plane = nx * ny;
  const contrast = levels.materials[0].grey - levels.air;
  // Jumps of a row and of those before and after it; NaN outside of edges. Row y is kept at y modulo 3.
  const rows = [0, 1, 2].map(() => new Float64Array(nx));
  let lastRead = -1;
  const steps = new Float64Array(5);
  let [count, weights, squares, rising] = [0, 0, 0, 0];
  for (let y = 1; y + 1 < ny; y += every) {
    for (let row = Math.max(y - 1, lastRead + 1); row <= y + 1; row++) readJumps(slab, z, row, rows[row % 3]);
    lastRead = y + 1;
    const current = rows[y % 3];
    for (let x = 1; x + 1 < nx; x++) {
      if (Number.isNaN(current[x])) continue;
      // Weights come from the neighbours: a voxel's own noise would create its jump.
      let near = 0;
      let sum = 0;
      for (let row = y - 1; row <= y + 1; row++) {
        const jumps = rows[row % 3];
        for (let beside = x - 1; beside <= x + 1; beside++) {
          const jump = jumps[beside];
          if ((row === y && beside === x) || Number.isNaN(jump)) continue;
          near++;
          sum += jump;
        }
      }
      if (near < 2) continue;
      const weight = sum / near;
      count++;
      weights += Math.abs(weight);
      squares += weight * weight;
      rising += Math.max(0, weight);
      const at = z * plane + y * nx + x;
      for (let k = 0, from = values[at - 3 * plane]; k < 5; k++) {
        const to = values[at + (k - 2) * plane];
        steps[k] += weight * (to - from);
        from = to;
      }
    }
  }
  if (count < minVoxels) return null;
  const [early, before, own, after, late] = steps;
  const jump = own - (early + late) / 2;
  const noise = levels.noise * Math.max(1, levels.grain ?? 1) * Math.sqrt(3 * squares);
  const beside = [before - early, after - late].map((sum) => sum / jump);
  return {
    slice: first + z,
    deviations: jump / noise,
    height: jump / weights / contrast,
    step: own / jump,
    goesOn: Math.max(...beside),
    goesBack: Math.min(...beside),
    beyond: Math.max(Math.abs(early), Math.abs(late)) / Math.abs(jump),
    balance: Math.min(rising, weights - rising) / weights,
    repeats: false,
  };
}

/** Step between two slices minus the mean of the steps two slices further off; NaN outside of edges. */
function readJumps({ values, dimensions, levels }: DetailSlab, z: number, y: number, jumps: Float64Array) {
  const [nx, ny] = dimensions;
  const plane = nx * ny;
  const { level, air, materials } = levels;
  const near = nearLevel * (materials[0].grey - air);
  for (let x = 0, at = (z * ny + y) * nx; x < nx; x++, at++) {
    const from = values[at - plane] - level;
    const to = values[at] - level;
    if (!(Math.abs(from) < near || Math.abs(to) < near || from > 0 !== to > 0)) {
      jumps[x] = Number.NaN;
      continue;
    }
    const beyond =
      values[at + 2 * plane] - values[at + plane] + values[at - 2 * plane] - values[at - 3 * plane];
    jumps[x] = to - from - beyond / 2;
  }
}

function doSlicesRepeat(slab: DetailSlab, z: number, every: number): boolean {
  const few = maxStepShare * countSteps(slab, z, z - 1, every);
  for (let period = 2; period <= Math.min(maxRepeated, z - 1, slab.planes - z); period++) {
    let differ = 0;
    for (let i = 0; i < period && differ <= few; i++)
      differ += countSteps(slab, z + i, z - period + i, every);
    if (differ <= few && countSteps(slab, z - 1, z - 1 - period, every) > few) return true;
  }
  return false;
}

/** Number of cells that differ between two slices. */
function countSteps(
  { values, dimensions, levels }: DetailSlab,
  one: number,
  other: number,
  every: number,
): number {
  const [nx, ny] = dimensions;
  const apart = (other - one) * nx * ny;
  const least = Math.max(minRise * (levels.materials[0].grey - levels.air), riseDeviations * levels.noise);
  let count = 0;
  for (let y = 0; y < ny; y += every) {
    const start = (one * ny + y) * nx;
    for (let at = start; at < start + nx; at++)
      if (Math.abs(values[at + apart] - values[at]) > least) count++;
  }
  return count;
}
