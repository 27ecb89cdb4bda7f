/** Where stacks of slices were joined and do not fit: slices are doubled there, or missing. */
import type { Vector3 } from '../grid/volume.ts';
import type { DetailSlab } from './detail.ts';

/** What rises over three slices is an edge from this share of the contrast on, and from so many deviations of the noise. */
const [leastRise, riseDeviations] = [0.5, 6.4];
/** Voxels of each slice that are looked at, about. */
const mostOfSlice = 16_384;
/** Steps between two slices at least. */
const fewestSteps = 40;

/**
 * A third of how far the steepest edges go on, by their blur in voxels, and with the most of it; and where there are no flat faces to
 * tell the blur, nor an end of the part that could be taken for a joint.
 */
const [shareOfBlur, mostOfBlur, withoutFaces] = [0.22, 0.2, 0.06];
/**
 * Of sharper scans nothing is said: a face between two slices doesn't go on there either. Sides that run through the middle of voxels
 * seem to be blurred by 0.5 voxels where 0.4 are true. Faces across the slices tell it themselves.
 */
const [leastBlur, leastAcross] = [0.52, 0.45];

/**
 * A flat end of a part, or a ledge of it, goes on in no slice either where scans are sharper across slices than within them, as
 * filters of the radiographs leave them. Where no faces tell that they are not, a joint has slices after it that repeat those before,
 * or so many of the walls lean on both sides of it, or as many steps rise as fall.
 */
const [leaningWalls, fewestWalls, balance] = [0.3, 3, 0.3];
/** So many of the steps at a joint rise, or fall, at least, where walls do not lean; and how much farther a cone blurs faces than walls. */
const [leastBalance, coneBlur] = [0.02, 1.5];
/**
 * Where walls lean, edges go on at a joint as they do beyond it, and a ledge may go on as much less as it leans the other way: what
 * they do beyond is taken off, and says nothing where it is more than a share of the step. Of clear joints: steps at least, how
 * far they go on without that, also by the blur, and as a whole.
 */
const [mostBeyond, leastBack] = [0.25, -0.15];
const clear = { steps: 80, goesOn: 0.14, ofBlur: 0.2, whole: 0.4, wholeBalanced: 0.25 };
/** Where more slices jump like that, ledges of the part do, as of bars that cross. */
const mostAlike = 2;
/** Steps between slices that repeat each other, as a share of those at the joint, and slices that are repeated, at most. */
const [mostOfSteps, mostRepeated] = [0.1, 40];
/** Cells along the sides of the tiles that walls are looked at in, edges of one in a tile, and edges' grey values about the level. */
const [tileCells, fewestEdges, nearLevel, leastSteepness] = [8, 3, 0.25, 0.1];
/** Cells a slice that a wall leans by at least, standard errors beyond that, and share that it leans otherwise in the slice beyond. */
const [leastLean, leanErrors, sameLean] = [0.08, 1.5, 0.6];

/** A slice whose edges jump from the one before. Shares are of the steps between the two. */
interface Jump {
  slice: number;
  steps: number;
  /** of the steps those that rise, or fall, where that is less */
  balance: number;
  /** how far they go on in the slice before or after, with what they do beyond that; and without, the most and the least */
  whole: number;
  goesOn: number;
  goesBack: number;
  /** how far they go on from there to the slice beyond, either way */
  beyond: number;
  repeats: boolean;
  leans: boolean;
}

/** Of faces across the slices: the standard deviation in voxels, and whether it is about the same for all of them. */
export interface BlurAcross {
  blur: number;
  isEven: boolean;
}

/** Standard deviations in voxels; null where they are not known. */
interface SliceBlurs {
  /** of edges within the slices, as they would be across them */
  within: number | null;
  /** of faces across the slices, those beside a slice left out */
  across: (slice: number) => BlurAcross | null;
}

/** How far edges between two slices go on, in the slices before and after, summed over all steps between the two. */
export class SeamSums {
  private readonly isSeen: Uint8Array;
  private readonly jumps: Jump[] = [];

  constructor(slices: number) {
    this.isSeen = new Uint8Array(slices);
  }

  /** Adds the slices that were not yet. O(cells) of slices with up to 16,384 voxels. */
  add(slab: DetailSlab): void {
    const { dimensions, first, planes, levels } = slab;
    const every = Math.max(1, Math.round((dimensions[0] * dimensions[1]) / mostOfSlice));
    const least = Math.max(
      leastRise * (levels.materials[0].grey - levels.air),
      riseDeviations * levels.noise,
    );
    for (let z = 3; z + 2 < planes; z++) {
      if (this.isSeen[first + z] === 1) continue;
      this.isSeen[first + z] = 1;
      const jump = findJump(slab, z, every, least);
      if (jump) this.jumps.push(jump);
    }
  }

  /**
   * Slices that do not follow the one before: edges that change between the two change beside them by nothing but what they do
   * beyond. Blur spreads an edge over its neighbours, a face that lies just between two of them to each side by 0.6 times the blur or so.
   * @param isNoisy a mask has neither blur nor noise, and no edge of it goes on
   */
  find({ within, across }: SliceBlurs, isNoisy: boolean): number[] {
    if (within === null && !isNoisy) return [];
    const alike = this.jumps.filter(({ steps, goesOn }) => steps >= clear.steps && goesOn < clear.goesOn);
    const isLedged = alike.length > mostAlike;
    return this.jumps
      .filter((jump) => isJoint(jump, within, across(jump.slice), isLedged))
      .map(({ slice }) => slice)
      .sort((a, b) => a - b);
  }
}

function findJump(slab: DetailSlab, z: number, every: number, least: number): Jump | null {
  const { values, dimensions, first } = slab;
  const [nx, ny] = dimensions;
  const plane = nx * ny;
  let [count, rises, steps, before, after, early, late] = [0, 0, 0, 0, 0, 0, 0];
  for (let y = 0; y < ny; y += every) {
    const end = z * plane + (y + 1) * nx;
    for (let at = end - nx; at < end; at++) {
      // Of the slices beyond the two, whose noise makes what goes on larger, if anything.
      const rise = values[at + plane] - values[at - 2 * plane];
      if (!(rise > least || rise < -least)) continue;
      const sign = rise > 0 ? 1 : -1;
      const step = sign * (values[at] - values[at - plane]);
      const own = sign * (values[at - plane] - values[at - 2 * plane]);
      const next = sign * (values[at + plane] - values[at]);
      if (step < own || step < next) continue;
      count++;
      if (sign > 0) rises++;
      steps += step;
      before += own;
      after += next;
      early += sign * (values[at - 2 * plane] - values[at - 3 * plane]);
      late += sign * (values[at + 2 * plane] - values[at + plane]);
    }
  }
  const ofBoth = [before - early, after - late].map((sum) => sum / steps);
  if (count < fewestSteps || !(Math.max(...ofBoth) < mostOfBlur)) return null;
  return {
    slice: first + z,
    steps: count,
    balance: Math.min(rises, count - rises) / count,
    whole: Math.max(before, after) / steps,
    goesOn: Math.max(...ofBoth),
    goesBack: Math.min(...ofBoth),
    beyond: Math.max(Math.abs(early), Math.abs(late)) / steps,
    repeats: doSlicesRepeat(slab, z, (a, b) => countSteps(slab, a, b, every, least)),
    leans: doWallsLean(slab, z - 1, -1) && doWallsLean(slab, z, 1),
  };
}

function isJoint(jump: Jump, within: number | null, faces: BlurAcross | null, isLedged: boolean): boolean {
  const { whole, goesOn, goesBack, beyond } = jump;
  const isRepeated = jump.repeats && !isLedged;
  const across = faces?.blur ?? null;
  // A face lies between two slices there, and what repeats is no face.
  const isSharp = across !== null && across < leastAcross;
  if (isSharp && !isRepeated) return false;
  const isBalanced = jump.balance > balance && !isLedged;
  const blur = Math.min(...[within, isRepeated ? null : across].filter((each) => each !== null));
  const most = within === null ? withoutFaces : Math.min(mostOfBlur, shareOfBlur * blur);
  const isBlurred = within === null || within >= leastBlur;
  const isLike = isRepeated || isBalanced || (jump.leans && !isOfCone(within, faces));
  // Slices that repeat those before are joined there wherever nothing goes on, also where no blur says what would.
  const goesOnAtMost = within === null && isRepeated ? whole : Math.max(whole, goesOn);
  if (isLike && isBlurred && goesOnAtMost < most) return true;
  if (isSharp || jump.steps < clear.steps || beyond > mostBeyond || goesBack < leastBack) return false;
  if (isBalanced && whole < clear.wholeBalanced && goesOn < clear.goesOn) return true;
  // Where neither walls lean nor any pore or wall ends, a ledge alone rises or falls.
  if (!jump.leans && jump.balance < leastBalance) return false;
  return (
    across !== null &&
    !isOfCone(within, faces) &&
    whole < clear.whole &&
    goesOn < Math.min(clear.goesOn, clear.ofBlur * blur)
  );
}

/** A cone of rays blurs faces the more the farther they lie from its middle plane: a ledge there is sharper than all others. */
const isOfCone = (within: number | null, faces: BlurAcross | null): boolean =>
  faces !== null && (!faces.isEven || (within !== null && faces.blur > coneBlur * within));

function doSlicesRepeat(slab: DetailSlab, z: number, steps: (one: number, other: number) => number): boolean {
  const few = mostOfSteps * steps(z, z - 1);
  for (let period = 2; period <= Math.min(mostRepeated, z - 1, slab.planes - z); period++) {
    let differ = 0;
    for (let i = 0; i < period && differ <= few; i++) differ += steps(z + i, z - period + i);
    if (differ <= few && steps(z - 1, z - 1 - period) > few) return true;
  }
  return false;
}

/** Cells that differ between two slices. */
function countSteps(
  { values, dimensions }: DetailSlab,
  one: number,
  other: number,
  every: number,
  least: number,
): number {
  const [nx, ny] = dimensions;
  const apart = (other - one) * nx * ny;
  let count = 0;
  for (let y = 0; y < ny; y += every) {
    const start = (one * ny + y) * nx;
    for (let at = start; at < start + nx; at++)
      if (Math.abs(values[at + apart] - values[at]) > least) count++;
  }
  return count;
}

/** Whether many walls of a slice lean, and on in the slices beyond it. @param way to these, 1 or −1 */
function doWallsLean(slab: DetailSlab, z: number, way: number): boolean {
  const [nx, ny, nz] = [slab.dimensions[0], slab.dimensions[1], slab.planes];
  if (z + 2 * way < 0 || z + 2 * way >= nz) return false;
  let [walls, leaning] = [0, 0];
  for (let y = 1; y + 1 < ny; y += tileCells) {
    for (let x = 1; x + 1 < nx; x += tileCells) {
      for (const { edges, slope, near, far } of findWalls(slab, [x, y, z], way)) {
        if (edges < fewestEdges) continue;
        walls++;
        const [one, two] = [near / edges, far / edges];
        const error = (slab.levels.noise / slope) * Math.sqrt(edges);
        const lean = (one + two) / 2;
        const isEven = Math.abs(one - two) < sameLean * Math.abs(lean) + 2 * error;
        if (isEven && Math.abs(lean) > leastLean + leanErrors * error) leaning++;
      }
    }
  }
  return walls >= fewestWalls && leaning >= leaningWalls * walls;
}

/** Edges that face one way: how many, and sums of their slope and of how far they move to the next slice and on to the one beyond, in cells. */
interface Wall {
  edges: number;
  slope: number;
  near: number;
  far: number;
}

/** The walls of a tile, by where they face: −x, +x, −y, +y. */
function findWalls(
  { values, dimensions, levels }: DetailSlab,
  [left, top, z]: Readonly<Vector3>,
  way: number,
): Wall[] {
  const [nx, ny] = dimensions;
  const plane = nx * ny;
  const contrast = levels.materials[0].grey - levels.air;
  const walls = [0, 1, 2, 3].map((): Wall => ({ edges: 0, slope: 0, near: 0, far: 0 }));
  for (let y = top; y < Math.min(top + tileCells, ny - 1); y++) {
    for (let x = left; x < Math.min(left + tileCells, nx - 1); x++) {
      const at = z * plane + y * nx + x;
      if (Math.abs(values[at] - levels.level) > nearLevel * contrast) continue;
      const gx = (values[at + 1] - values[at - 1]) / 2;
      const gy = (values[at + nx] - values[at - nx]) / 2;
      const slope = Math.hypot(gx, gy);
      if (slope < Math.max(leastSteepness * contrast, 2 * levels.noise)) continue;
      const wall = walls[Math.abs(gx) > Math.abs(gy) ? Number(gx < 0) : 2 + Number(gy < 0)];
      wall.edges++;
      wall.slope += slope;
      wall.near += (values[at + way * plane] - values[at]) / slope;
      wall.far += (values[at + 2 * way * plane] - values[at + way * plane]) / slope;
    }
  }
  return walls;
}
