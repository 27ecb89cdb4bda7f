/** Where stacks of slices were joined and do not fit: slices are doubled there, or missing. */
import { computeErf } from '../error-function.ts';
import type { DetailSlab } from './detail.ts';

/** Voxels of each slice that are looked at, about; and voxels at edges between two slices, at least. */
const [mostOfSlice, fewestVoxels] = [16_384, 20];
/** Grey values about the level, as a share of the contrast, that are of an edge. */
const nearLevel = 0.4;

/**
 * Of a jump: deviations of its noise and share of the contrast at least, and what the step between the two slices is of it. What leans
 * or is bent steps on beyond them, and a jump stands out from that.
 */
const [fewestDeviations, leastHeight] = [8, 0.15];
const [leastStep, mostStep, leastBack, mostBeyond] = [0.6, 1.4, -0.25, 0.35];
/** Noise with a grain jumps like that everywhere: of more slices than this share nothing is said. */
const mostOfSlices = 0.1;

/**
 * A ledge or an end of the part that lies between two slices steps on in the slices before and after them, by a share of its step that
 * blur tells; a joint by no more than this share of that, even where noise makes it less by so many deviations than a little less of it.
 */
const [shareOfLedge, nearlyLedge, noiseErrors] = [0.65, 0.9, 3];
/** Of sharper scans nothing is said: a ledge between two slices doesn't step on there either. */
const leastBlur = 0.42;
/**
 * Where no faces tell how they are blurred across slices, they may be less than within them. Then as much has to rise as falls, or slices
 * repeat those before; and where more slices jump like that, ledges of the part do, as of bars that cross. The blur counts as
 * the first then. Where faces are blurred unalike, only what repeats counts.
 */
const [unknownBlur, balance, mostAlike] = [0.45, 0.25, 2];
/** What a joint steps on by beyond it, over the jump, where walls lean; or of what rises and falls the share that does so against the rest. */
const [leastLean, leastBalance] = [0.03, 0.02];
/** Steps between slices that repeat each other, as a share of those at the joint, and slices that are repeated, at most. */
const [mostOfSteps, mostRepeated] = [0.1, 40];
/** What changes between two slices by this share of the contrast is a step, and by so many deviations of the noise. */
const [leastRise, riseDeviations] = [0.5, 6.4];

/** How edges jump between a slice and the one before. */
interface Jump {
  slice: number;
  /** over its noise, and as a share of the contrast */
  deviations: number;
  height: number;
  /** shares of the jump: the step between the two slices, and how far the steps before and after it go beyond those farther off */
  step: number;
  goesOn: number;
  goesBack: number;
  /** the most of those farther off, either way */
  beyond: number;
  /** of all that rises and falls the share that rises, or falls, where that is less */
  balance: number;
  repeats: boolean;
}

/** Standard deviations in voxels across the slices, by what was not read beside a slice; null where they are not known. */
export interface SliceBlurs {
  /** of faces within the slices, as they would be across them */
  within: number | null;
  across: number | null;
  /** as far as can be told faces across slices are blurred alike, and as those within them */
  isEven: boolean;
}

/** How the grey values of edges step from slice to slice, each held against the two before and after it. */
export class SeamSums {
  private readonly isSeen: Uint8Array;
  private readonly jumps: Jump[] = [];
  /** with edges that jump */
  private slices = 0;

  constructor(slices: number) {
    this.isSeen = new Uint8Array(slices);
  }

  /** Adds the slices that were not yet. O(cells) of slices with up to 16,384 voxels. */
  add(slab: DetailSlab): void {
    const [nx, ny] = slab.dimensions;
    const every = Math.max(1, Math.round((nx * ny) / mostOfSlice));
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
   * Slices that do not follow the one before: edges that change between the two change beside them by nothing but what they do
   * beyond. Blur spreads an edge over its neighbours.
   * @param isNoisy a mask has neither blur nor noise, and no edge of it steps on
   */
  find(findBlurs: (slice: number) => SliceBlurs, isNoisy: boolean): number[] {
    if (!isNoisy) return [];
    const looked = this.jumps.map((jump) => ({ ...jump, ...findBlurs(jump.slice) }));
    const isOdd = (jump: Jump & SliceBlurs) =>
      (jump.repeats || jump.balance > balance) &&
      (jump.within ?? unknownBlur) > leastBlur &&
      isJoint(jump, unknownBlur);
    const isLedged = looked.filter(isOdd).length > mostAlike;
    const found = looked.filter((jump) => {
      const { across, isEven, repeats } = jump;
      const isUnknown = repeats || (isEven && across === null);
      if (isUnknown && !isLedged && isOdd(jump)) return true;
      // Where no wall leans and nothing ends the other way, a ledge or an end alone rises or falls.
      const isLedge = jump.beyond < leastLean && jump.balance < leastBalance;
      return across !== null && across > leastBlur && !isLedge && isJoint(jump, across);
    });
    if (found.length > Math.max(mostAlike, mostOfSlices * this.slices)) return [];
    return found.map(({ slice }) => slice).sort((a, b) => a - b);
  }
}

const isClear = ({ deviations, height, step, goesOn, goesBack, beyond }: Jump): boolean =>
  deviations > fewestDeviations &&
  height > leastHeight &&
  step > leastStep &&
  step < mostStep &&
  goesOn < shareOfLedge &&
  goesBack > leastBack &&
  beyond < mostBeyond;

/** @param blur across the slices, in voxels */
function isJoint({ deviations, goesOn }: Jump, blur: number): boolean {
  const ledge = computeLedge(blur);
  const fromNoise = (noiseErrors * Math.SQRT2) / deviations;
  return goesOn < Math.min(shareOfLedge * ledge, nearlyLedge * ledge - fromNoise);
}

/** How far the steps beside that of a ledge go beyond those farther off, as a share of how far it does itself: of one midway between two slices. */
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
  // Jumps of a row and those before and after it; NaN of what is no edge.
  const rows = [0, 1, 2].map(() => new Float64Array(nx));
  const steps = new Float64Array(5);
  let [count, weights, squares, rising] = [0, 0, 0, 0];
  for (let y = 1; y + 1 < ny; y += every) {
    for (let n = 0; n < 3; n++) readJumps(slab, z, y + n - 1, rows[n]);
    for (let x = 1; x + 1 < nx; x++) {
      if (Number.isNaN(rows[1][x])) continue;
      // Noise of a voxel's own would make its jump out of nothing.
      let [near, sum] = [0, 0];
      for (let n = 0; n < 9; n++) {
        const jump = rows[Math.floor(n / 3)][x + (n % 3) - 1];
        if (n === 4 || Number.isNaN(jump)) continue;
        near++;
        sum += jump;
      }
      if (near < 2) continue;
      const weight = sum / near;
      count++;
      weights += Math.abs(weight);
      squares += weight * weight;
      rising += Math.max(0, weight);
      const at = z * plane + y * nx + x;
      for (let k = 0; k < 5; k++)
        steps[k] += weight * (values[at + (k - 2) * plane] - values[at + (k - 3) * plane]);
    }
  }
  if (count < fewestVoxels) return null;
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

/** By how much the step between two slices goes beyond what those two slices farther off are in the mean; NaN of what is no edge there. */
function readJumps({ values, dimensions, levels }: DetailSlab, z: number, y: number, jumps: Float64Array) {
  const [nx, ny] = dimensions;
  const plane = nx * ny;
  const { level, air, materials } = levels;
  const near = nearLevel * (materials[0].grey - air);
  for (let x = 0, at = (z * ny + y) * nx; x < nx; x++, at++) {
    const [from, to] = [values[at - plane] - level, values[at] - level];
    const isEdge = Math.abs(from) < near || Math.abs(to) < near || from > 0 !== to > 0;
    const beyond =
      values[at + 2 * plane] - values[at + plane] + values[at - 2 * plane] - values[at - 3 * plane];
    jumps[x] = isEdge ? to - from - beyond / 2 : Number.NaN;
  }
}

function doSlicesRepeat(slab: DetailSlab, z: number, every: number): boolean {
  const few = mostOfSteps * countSteps(slab, z, z - 1, every);
  for (let period = 2; period <= Math.min(mostRepeated, z - 1, slab.planes - z); period++) {
    let differ = 0;
    for (let i = 0; i < period && differ <= few; i++)
      differ += countSteps(slab, z + i, z - period + i, every);
    if (differ <= few && countSteps(slab, z - 1, z - 1 - period, every) > few) return true;
  }
  return false;
}

/** Cells that differ between two slices. */
function countSteps(
  { values, dimensions, levels }: DetailSlab,
  one: number,
  other: number,
  every: number,
): number {
  const [nx, ny] = dimensions;
  const apart = (other - one) * nx * ny;
  const least = Math.max(leastRise * (levels.materials[0].grey - levels.air), riseDeviations * levels.noise);
  let count = 0;
  for (let y = 0; y < ny; y += every) {
    const start = (one * ny + y) * nx;
    for (let at = start; at < start + nx; at++)
      if (Math.abs(values[at + apart] - values[at]) > least) count++;
  }
  return count;
}
