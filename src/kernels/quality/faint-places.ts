/**
 * Places beside a part that are brighter than air: foam, seals, liquids and powder too faint or too thin for a level of
 * their own, or scattered radiation. The surface leaves them out.
 */
import type { Vector3 } from '../grid/volume.ts';
import { type BlockGrid, blockCells } from './block-grid.ts';
import { type BlockLevels, median, withoutPlane } from './block-levels.ts';
import { type DetailSlab, riseAcross } from './detail.ts';

/** Cells brighter than this share of the contrast belong to the part; their surroundings do not count. */
const ofPart = 0.75;
/** Share of the contrast from which a cell lies in the part, and from which it may lie in a layer that is half of it. */
const [ofSurface, ofLayer] = [0.5, 0.42];
/** Cells count where the blur of the part adds less than this share of the contrast: when measured, and when assumed. */
const maxBlurred = { measured: 0.09, assumed: 0.03 };
/** Blur may be wider than measured; standard deviations within which the part counts for it, and beyond which layers do. */
const [widest, reachOfBlur, clearOfBlur] = [1.1, 3, 2.6];
/** Voxels read around a cell at most: with a wider blur, of 2.1 voxels, no faint place is told from the part's own blur. */
const maxReach = 7;
/**
 * Cells next to one that is brighter by this share of the contrast, and by this multiple of the noise, lie in the blur of
 * an edge. A smaller multiple would leave out cells that noise darkens.
 */
const [steep, steepNoise] = [0.35, 4];
/** A rise over two slices by this share of the contrast is an edge that a cone beam smears over many. */
const sloping = 0.12;
/** Standard deviation of a cell's own length, in cells; blur assumed when no edge shows it. */
const [ownLength, unseenBlur] = [0.29, 1.45];
/**
 * Heights of such places above air, as shares of the contrast, and smallest height in standard deviations of the noise of
 * their mean. Lower ones may be haze, or foam in which parts are bedded; higher ones are lighter layers of the part.
 */
const [minHeight, maxHeight, deviations] = [0.06, 0.6, 4];
/** A block beside an edge deviates by more than this share of the contrast and this multiple of the noise. */
const [edgeShare, edgeNoise] = [0.1, 1.4];
/** Smallest number of cells for a mean, and largest number of blocks to read cell by cell. */
const [minCells, maxRead] = [4, 6000];
/** Stronger noise, as a share of the contrast, leaves no cells that are clearly not of the part. */
const maxNoise = 0.2;

export class FaintPlaces {
  /** heights of blocks above the plane of the air, as shares of the contrast */
  private readonly heights: Float32Array;
  /** 1 for the part and blocks beside it */
  private readonly isNear: Uint8Array;
  /** those to read cell by cell, and one of how many they are */
  private readonly near: Set<number>;
  private readonly step: number;
  private readonly blocks: BlockGrid;
  private readonly levels: BlockLevels;
  private readonly contrast: number;
  /** for each block the number of cells clear of the part, and the sum of their heights */
  private readonly counts: Float32Array;
  private readonly sums: Float32Array;
  private read = 0;
  /** blur is too wide to tell such places from the part's own */
  private isWide = false;

  constructor(blocks: BlockGrid, levels: BlockLevels) {
    const { means, deviations, size } = blocks;
    const { air, materials, noise, airPlane } = levels;
    this.blocks = blocks;
    this.levels = levels;
    this.contrast = materials[0].grey - air;
    this.heights = withoutPlane(blocks, airPlane).map((height) => height / this.contrast);
    this.counts = new Float32Array(means.length);
    this.sums = new Float32Array(means.length);
    const canRead =
      blocks.stride === blockCells && materials.length === 1 && noise < maxNoise * this.contrast;
    const most = Math.hypot(edgeNoise * noise, edgeShare * this.contrast);
    const isPart = (at: number) => !(this.heights[at] < ofPart && deviations[at] < most);
    this.isNear = canRead ? growBlocks(size, isPart) : new Uint8Array(means.length);
    levelSlices(this.heights, this.isNear, size);
    const listed: number[] = [];
    for (let at = 0; canRead && at < means.length; at++) {
      if (this.isNear[at] === 1) {
        if (this.heights[at] < ofPart) listed.push(at);
      } else {
        this.counts[at] = blockCells ** 3;
        this.sums[at] = this.counts[at] * this.heights[at];
      }
    }
    this.step = Math.max(1, Math.ceil(listed.length / maxRead));
    this.near = new Set(listed.filter((_, n) => n % this.step === 0));
  }

  /** O(cells) of blocks beside the part. @param blur null when no edge shows it */
  add({ values, dimensions: [nx, ny], planes, first }: DetailSlab, blur: number | null): void {
    const { size, first: start } = this.blocks;
    const [bx, by] = size;
    const spread = Math.hypot(widest * (blur ?? unseenBlur), ownLength);
    const reach = reachOfBlur * spread;
    this.isWide ||= reach > maxReach;
    if (this.near.size === 0 || this.isWide) return;
    const ball = listBall(reach);
    const toOffset = ([x, y, z]: Vector3) => x + y * nx + z * nx * ny;
    const around = Int32Array.from(ball, toOffset);
    const [close, beside] = [clearOfBlur * spread, 1].map((far) => Int32Array.from(listBall(far), toOffset));
    const weights = Float64Array.from(ball, (step) =>
      Math.exp(-(Math.hypot(...step) ** 2) / (2 * spread ** 2)),
    );
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const rise = Math.max(steep * this.contrast, steepNoise * this.levels.noise);
    const findRise = riseAcross(nx, ny);
    const smeared = Math.max(sloping * this.contrast, steepNoise * this.levels.noise * Math.sqrt(2 / 9));
    const most = blur === null ? maxBlurred.assumed : maxBlurred.measured;
    const margin = Math.floor(reach);
    for (const at of this.near) {
      const [x, y, z] = [at % bx, Math.floor(at / bx) % by, Math.floor(at / (bx * by))].map(
        (n, axis) => start[axis] + n * blockCells - (axis === 2 ? first : 0),
      );
      if (z < margin || z + blockCells + margin > planes) continue;
      this.near.delete(at);
      this.read++;
      if (x < margin || y < margin || x + blockCells + margin > nx || y + blockCells + margin > ny) continue;
      const base = this.blocks.means[at] - this.heights[at] * this.contrast;
      const [inLayer, inPart, full] = [ofLayer, ofSurface, ofPart].map(
        (share) => base + share * this.contrast,
      );
      for (let n = 0; n < blockCells ** 3; n++) {
        const cell = (z + (n >> 4)) * nx * ny + (y + ((n >> 2) & 3)) * nx + x + (n & 3);
        if (!(values[cell] < full) || !isBelow(values[cell] + rise, values, cell, beside)) continue;
        if (findRise(values, cell, 2) > smeared) continue;
        const blurred = sumAbove(inPart, values, cell, { around, weights, until: most * total }) / total;
        const isClear = blurred < most;
        if (!isClear && !(values[cell] > inLayer && isBelow(full, values, cell, close))) continue;
        this.counts[at]++;
        this.sums[at] += (values[cell] - base) / this.contrast - (isClear ? blurred : 0);
      }
    }
  }

  /**
   * @returns volume of places brighter than air, less that of equally dark ones, as a share of the part's volume; of
   * thin ones the middle only
   */
  find(): number {
    if (this.isWide) return 0;
    const { means, size } = this.blocks;
    const { noise, grain, air } = this.levels;
    const ofCell = (Math.max(1, grain ?? 1) * noise) / this.contrast;
    let [near, far, part] = [0, 0, 0];
    const [bx, by] = size;
    const steps = [0, 1, -1, bx, -bx, bx * by, -bx * by];
    const sign = (count: number, sum: number) => {
      if (count < minCells) return 0;
      const height = sum / count;
      const least = Math.max(minHeight, (deviations * ofCell) / Math.sqrt(count));
      return Math.abs(height) > least && height < maxHeight ? Math.sign(height) : 0;
    };
    for (let at = 0; at < means.length; at++) {
      part += Math.max(0, (means[at] - air) / this.contrast) * blockCells ** 3;
      if (this.counts[at] === 0) continue;
      // A block alone, or with its neighbours, of which noise leaves less.
      let [count, sum] = [0, 0];
      for (const step of steps) {
        count += this.counts[at + step] ?? 0;
        sum += this.sums[at + step] ?? 0;
      }
      const way = sign(this.counts[at], this.sums[at]) || sign(count, sum);
      if (this.isNear[at] === 1) near += way * this.counts[at];
      else far += way * this.counts[at];
    }
    const listed = this.read + this.near.size;
    const scale = this.read > 0 ? (this.step * listed) / this.read : 0;
    return part > 0 ? Math.max(0, (near * scale + far) / part) : 0;
  }
}

/** Width of rings about the axis, in blocks; smallest number of clear blocks that show the air of one. */
const [ringWidth, minClear] = [1.5, 8];

/**
 * Subtracts the air of each layer of blocks, which is the median of those clear of the part: inside the circle inscribed
 * in the scan, of those along it; in the corners, of each ring about the axis. A cone beam brightens the air of whole
 * slices beside faces along them, and some projections do not show the corners. Foam and seals of a part end before the
 * scan does.
 */
function levelSlices(heights: Float32Array, isNear: Uint8Array, [bx, by, bz]: Vector3): void {
  const width = (2 * ringWidth) / Math.min(bx, by);
  const rings = Int32Array.from({ length: bx * by }, (_, at) => {
    const far = Math.hypot((2 * (at % bx) + 1) / bx - 1, (2 * Math.floor(at / bx) + 1) / by - 1);
    return Math.max(0, Math.floor((far - 1) / width) + 2);
  });
  const count = Math.max(...rings) + 1;
  for (let k = 0; k < bz; k++) {
    const from = k * bx * by;
    const layer = heights.subarray(from, from + bx * by);
    const clear = Array.from({ length: count }, (): number[] => []);
    for (const [at, ring] of rings.entries()) if (isNear[from + at] === 0) clear[ring].push(layer[at]);
    const air = clear.map((each) => (each.length < minClear ? null : median(each)));
    air[0] = air[1] ?? 0;
    for (let ring = 1; ring < count; ring++) air[ring] ??= air[ring - 1];
    for (const [at, ring] of rings.entries()) {
      const base = air[ring] ?? 0;
      if (Math.abs(base) > minHeight / 2) layer[at] -= base;
    }
  }
}

/** Blocks for which this holds, and all of their neighbours. */
function growBlocks([bx, by, bz]: Vector3, isOne: (at: number) => boolean): Uint8Array {
  const grown = new Uint8Array(bx * by * bz);
  for (let k = 0, at = 0; k < bz; k++)
    for (let j = 0; j < by; j++)
      for (let i = 0; i < bx; i++, at++) {
        if (!isOne(at)) continue;
        for (let z = Math.max(0, k - 1); z <= Math.min(bz - 1, k + 1); z++)
          for (let y = Math.max(0, j - 1); y <= Math.min(by - 1, j + 1); y++)
            for (let x = Math.max(0, i - 1); x <= Math.min(bx - 1, i + 1); x++)
              grown[(z * by + y) * bx + x] = 1;
      }
  return grown;
}

/** Steps to the cells within this distance, the nearest first. */
function listBall(reach: number): Vector3[] {
  const most = Math.floor(reach);
  const side = 2 * most + 1;
  return Array.from(
    { length: side ** 3 },
    (_, n): Vector3 => [
      (n % side) - most,
      (Math.floor(n / side) % side) - most,
      Math.floor(n / side ** 2) - most,
    ],
  )
    .filter((step) => Math.hypot(...step) <= reach)
    .sort((a, b) => Math.hypot(...a) - Math.hypot(...b));
}

/** Whether the cells at these steps from a cell are all darker than a limit. */
function isBelow(limit: number, values: ArrayLike<number>, cell: number, steps: Int32Array): boolean {
  for (let n = 0; n < steps.length; n++) if (!(values[cell + steps[n]] < limit)) return false;
  return true;
}

/** Sum of the weights of cells brighter than a limit; the nearest come first, and enough of them end it. */
function sumAbove(
  limit: number,
  values: ArrayLike<number>,
  cell: number,
  { around, weights, until }: { around: Int32Array; weights: Float64Array; until: number },
): number {
  let sum = 0;
  for (let n = 0; n < around.length && sum < until; n++)
    if (values[cell + around[n]] > limit) sum += weights[n];
  return sum;
}
