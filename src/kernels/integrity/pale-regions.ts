/** Closed regions of a part that are paler than its material but not air: voids filled with resin, oil or powder. */
import type { Arena } from '../arena.ts';
import { eachPlanes } from '../grid/plane-reader.ts';
import type { CellBox } from '../grid/region.ts';
import { bytesPerVoxel, type DataType, makeView, type SlabSource, type Vector3 } from '../grid/volume.ts';
import { selectNth } from '../select-nth.ts';
import { defineTask, type OnArena } from '../task.ts';
import { beyond, spreadDistances } from './shell-fit.ts';

export interface PaleRegions {
  count: number;
  /** total, in cells of the scan */
  volume: number;
  /** deficit in the middle of the least and of the most pale one, as shares of the contrast */
  depths: [number, number];
}

export interface PaleSearch {
  cells: CellBox;
  levels: { air: number; material: number };
  /** standard deviation of the edge spread, in cells */
  blur: number;
}

/** Largest number of cells of the coarse scan along its longest axis. */
const maxCellsAlong = 160;
/** Samples along each edge of a block, where it has that many cells; more would take time and add little. */
const minSamplesPerEdge = 3;
/**
 * Smallest deficit of a region: as a share of the contrast, and in standard deviations of the noise; with more noise
 * than `most` the search is given up.
 */
const palest = { share: 0.2, deviations: 4.5, most: 0.35 };
/**
 * The coarse scan is smoothed until the noise is below that, at most this many times; each pass adds this to the
 * variance of edges.
 */
const [maxSmoothings, smoothingVariance] = [3, 0.5];
/**
 * In standard deviations of the edge spread: the depth from which a region has a middle, the share of its depth that
 * does not belong to the middle, and the range of distances in which the material around it is sampled.
 */
const edges = { middle: 2, inner: 0.8, from: 1.2, to: 3.6 };
/**
 * Largest deficit in the middle of a region that is not an empty void: at a depth of 2 standard deviations, increase
 * per standard deviation, and upper limit. A blurred empty ball has 0.66 at that depth and 0.86 at 2.6; cylinders and
 * cracks have more.
 */
const maxDeficit = { atLeast: 0.5, slope: 0.33, most: 0.7 };
/** Cells with a larger deficit are air; noise causes a small share of them. */
const [ofAir, fewAir] = [0.85, 0.02];
/**
 * The surrounding material has less than this share of the middle's deficit; cupping and shading have no such edges.
 */
const maxDeficitAround = 1 / 3;

/** Work on planes that are read for another measurement. */
export interface PlaneVisitor {
  /** planes are visited in multiples of this number, counted from the first plane of the region */
  every: number;
  /** Visits planes zFrom … zTo−1 of the volume, in any order. */
  visit(zFrom: number, zTo: number, planes: { arena: Arena; address: number }): Promise<void>;
}

export interface PaleFinder extends PlaneVisitor {
  /** Call after all planes were visited; null = there are no pale regions. */
  find(): PaleRegions | null;
}

/** Visits every cell once. O(cells); memory: 9 bytes per cell of the coarse scan. */
export function startPaleSearch(
  { grid, dataType }: Pick<SlabSource, 'grid' | 'dataType'>,
  { cells, levels, blur }: PaleSearch,
): PaleFinder {
  const { from, to } = cells;
  const factor = Math.ceil(Math.max(...to.map((n, k) => n - from[k])) / maxCellsAlong);
  const [width, height] = grid.dimensions;
  const size = to.map((n, k) => Math.ceil((n - from[k]) / factor)) as Vector3;
  // Deficit of blocks of cells as a share of the contrast: 0 in material, 1 in air and for missing values.
  const depths = new Float32Array(size[0] * size[1] * size[2]);
  const planeBytes = width * height * bytesPerVoxel[dataType];
  const planesAtOnce = factor * Math.max(1, Math.floor(cellsAtOnce / (width * height * factor)));
  return {
    every: factor,
    async visit(zFrom, zTo, { arena, address }) {
      for (let first = zFrom; first < zTo; first += planesAtOnce) {
        const input = {
          ...{ dataType, address: address + (first - zFrom) * planeBytes, width, height },
          ...{ cells, zFrom: first, zTo: Math.min(zTo, first + planesAtOnce), factor, levels },
        };
        const found = await arena.run(readBlocks, input);
        depths.set(found, ((first - from[2]) / factor) * size[0] * size[1]);
      }
    },
    find: () => findInDepths(depths, size, factor, blur),
  };
}

/** Reads a region for the search alone. */
export function visitPlanes(
  source: SlabSource,
  cells: CellBox,
  { every, visit }: PlaneVisitor,
  arena: Arena,
): Promise<void> {
  const range = { from: cells.from[2], to: cells.to[2], size: every, purpose: 'Pale regions' };
  return eachPlanes(source, cells, arena, range, (from, to, { address }) =>
    visit(from, to, { arena, address }),
  );
}

function findInDepths(depths: Float32Array, size: Vector3, factor: number, blur: number): PaleRegions | null {
  const { least, smoothings } = settleNoise(depths, size);
  if (least > palest.most) return null;
  const spread = Math.sqrt((blur / factor) ** 2 + 1 / 12 + smoothings * smoothingVariance);
  const found: { volume: number; depth: number }[] = [];
  for (const region of listClosed(depths, size, { least, fewest: 4 * (edges.middle * spread) ** 3 })) {
    const filled = judgeRegion(depths, size, region, spread);
    if (filled) found.push(filled);
  }
  if (found.length === 0) return null;
  const lacking = found.map(({ depth }) => depth);
  return {
    count: found.length,
    volume: found.reduce((sum, { volume }) => sum + volume, 0) * factor ** 3,
    depths: [Math.min(...lacking), Math.max(...lacking)],
  };
}

/** Cells per task: some milliseconds. */
const cellsAtOnce = 4e6;

interface ReadBlocks extends OnArena {
  dataType: DataType;
  /** address of plane zFrom of the volume */
  address: number;
  /** cells of the volume in a row, and rows in a plane */
  width: number;
  height: number;
  cells: CellBox;
  zFrom: number;
  zTo: number;
  factor: number;
  levels: { air: number; material: number };
}

/** Averages the blocks in planes zFrom … zTo−1. */
export const readBlocks = defineTask(import.meta.url, 'readBlocks', (_, input: ReadBlocks): Float32Array => {
  const { memory, dataType, address, width, height, zFrom, zTo, factor, levels } = input;
  const { from, to } = input.cells;
  const [nx, ny, layers] = [to[0] - from[0], to[1] - from[1], zTo - zFrom].map((n) => Math.ceil(n / factor));
  const values = makeView(dataType, memory.buffer, address, (zTo - zFrom) * width * height);
  const depths = new Float32Array(nx * ny * layers);
  const step = Math.max(1, Math.floor(factor / minSamplesPerEdge));
  // Sampling starts at the first cell of each block, so that a block cut by the end has samples, too.
  const listRead = (cells: number) =>
    Int32Array.from({ length: cells }, (_, i) => i).filter((i) => (i % factor) % step === 0);
  const [xs, ys] = [listRead(to[0] - from[0]), listRead(to[1] - from[1])];
  const columns = xs.map((x) => Math.floor(x / factor));
  const [sums, counts] = [new Float64Array(nx * ny), new Uint32Array(nx * ny)];
  for (let layer = 0; layer < layers; layer++) {
    sums.fill(0);
    counts.fill(0);
    const end = Math.min(zTo - zFrom, (layer + 1) * factor);
    for (let z = layer * factor; z < end; z += step) {
      for (const y of ys) {
        const row = Math.floor(y / factor) * nx;
        const start = (z * height + from[1] + y) * width + from[0];
        for (let i = 0; i < xs.length; i++) {
          const at = row + columns[i];
          const grey = values[start + xs[i]];
          // NaN and infinity count as air.
          sums[at] += grey - grey === 0 ? grey : levels.air;
          counts[at]++;
        }
      }
    }
    for (let i = 0; i < nx * ny; i++)
      depths[layer * nx * ny + i] = (levels.material - sums[i] / counts[i]) / (levels.material - levels.air);
  }
  return depths;
});

/** Smooths until noise is low. @returns the depth above which nothing is noise */
function settleNoise(depths: Float32Array, size: Vector3): { least: number; smoothings: number } {
  for (let smoothings = 0; ; smoothings++) {
    const least = Math.max(palest.share, palest.deviations * readNoise(depths));
    if (least === palest.share || smoothings === maxSmoothings) return { least, smoothings };
    smoothOnce(depths, size);
  }
}

/** Measured on values brighter than the material, which no edge produces. */
function readNoise(depths: Float32Array): number {
  const brighter = new Float32Array(depths.length);
  let count = 0;
  for (const depth of depths) if (depth < 0) brighter[count++] = depth;
  return count === 0 ? 0 : -selectNth(brighter.subarray(0, count), count >> 1) / 0.6745;
}

/** Smooths by ¼ ½ ¼ along each axis, in place. */
function smoothOnce(values: Float32Array, size: Vector3): void {
  const strides = [1, size[0], size[0] * size[1]];
  for (let axis = 0; axis < 3; axis++) {
    const [length, stride] = [size[axis], strides[axis]];
    for (let block = 0; block < values.length; block += stride * length) {
      for (let start = block; start < block + stride; start++) {
        let before = values[start];
        for (let k = 0, i = start; k < length; k++, i += stride) {
          const here = values[i];
          const after = k + 1 < length ? values[i + stride] : here;
          values[i] = (before + 2 * here + after) / 4;
          before = here;
        }
      }
    }
  }
}

/**
 * Cells of each region that has at least this deficit and number of cells, contains no air, and does not touch the
 * border.
 */
function* listClosed(
  depths: Float32Array,
  [nx, ny, nz]: Vector3,
  { least, fewest }: { least: number; fewest: number },
): Generator<number[]> {
  const seen = new Uint8Array(depths.length);
  for (let start = 0; start < depths.length; start++) {
    if (seen[start] === 1 || !(depths[start] >= least)) continue;
    seen[start] = 1;
    const region = [start];
    const reach = (j: number) => {
      if (seen[j] === 1 || !(depths[j] >= least)) return;
      seen[j] = 1;
      region.push(j);
    };
    let isCut = false;
    let air = 0;
    for (let next = 0; next < region.length; next++) {
      const i = region[next];
      if (depths[i] > ofAir) air++;
      const [x, y, z] = [i % nx, Math.floor(i / nx) % ny, Math.floor(i / (nx * ny))];
      isCut ||= x === 0 || y === 0 || z === 0 || x === nx - 1 || y === ny - 1 || z === nz - 1;
      if (x > 0) reach(i - 1);
      if (x < nx - 1) reach(i + 1);
      if (y > 0) reach(i - nx);
      if (y < ny - 1) reach(i + nx);
      if (z > 0) reach(i - nx * ny);
      if (z < nz - 1) reach(i + nx * ny);
    }
    if (!isCut && region.length >= fewest && air <= fewAir * region.length) yield region;
  }
}

/** @returns its volume in cells and the deficit in its middle; null when it is not a filled void */
function judgeRegion(
  depths: Float32Array,
  size: Vector3,
  region: readonly number[],
  spread: number,
): { volume: number; depth: number } | null {
  const [nx, ny] = size;
  const margin = Math.ceil(edges.to * spread) + 1;
  const findCell = (i: number): Vector3 => [i % nx, Math.floor(i / nx) % ny, Math.floor(i / (nx * ny))];
  const low: Vector3 = [...size];
  const high: Vector3 = [0, 0, 0];
  for (const i of region) {
    for (const [k, n] of findCell(i).entries()) {
      low[k] = Math.min(low[k], n);
      high[k] = Math.max(high[k], n);
    }
  }
  const first = low.map((n) => Math.max(0, n - margin)) as Vector3;
  const box = high.map((n, k) => Math.min(size[k], n + margin + 1) - first[k]) as Vector3;
  const within = new Uint8Array(box[0] * box[1] * box[2]);
  const around = new Uint8Array(within.length).fill(beyond);
  for (const i of region) {
    const [x, y, z] = findCell(i).map((n, k) => n - first[k]);
    const at = (z * box[1] + y) * box[0] + x;
    within[at] = beyond;
    around[at] = 0;
  }
  spreadDistances(within, box, beyond);
  spreadDistances(around, box, edges.to * spread + 1);
  // The boundary of a region lies half a cell before the first cell outside.
  const deep = (Math.sqrt(within.reduce((most, distance) => Math.max(most, distance), 0)) - 0.5) / spread;
  if (deep < edges.middle) return null;
  const minWithin = (Math.max(edges.middle, edges.inner * deep) * spread + 0.5) ** 2;
  let [sum, middle, cells] = [0, 0, 0];
  const sound: number[] = [];
  for (let z = 0, at = 0; z < box[2]; z++) {
    for (let y = 0; y < box[1]; y++) {
      let i = ((first[2] + z) * ny + first[1] + y) * nx + first[0];
      for (let x = 0; x < box[0]; x++, at++, i++) {
        const distance = around[at];
        if (distance === 0) sum += depths[i];
        if (within[at] >= minWithin) {
          middle += depths[i];
          cells++;
        }
        if (distance >= (edges.from * spread) ** 2 && distance <= (edges.to * spread) ** 2)
          sound.push(depths[i]);
      }
    }
  }
  if (cells === 0 || sound.length === 0) return null;
  const depth = middle / cells;
  const level = sound.sort((a, b) => a - b)[sound.length >> 1];
  const { atLeast, slope, most } = maxDeficit;
  if (depth > Math.min(most, atLeast + slope * (deep - edges.middle))) return null;
  if (depth - level < palest.share || level > maxDeficitAround * depth) return null;
  return { volume: sum / depth, depth };
}
