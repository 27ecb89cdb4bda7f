/**
 * Coarse view of a scan: means and standard deviations of blocks of cells, which are nearly free of noise and are read
 * in half a second.
 */
import { bytesPerVoxel, type SlabSource, type Vector3, type VoxelArray } from '../grid/volume.ts';
import { DeadPlanes } from './dead-planes.ts';

/** Cells along each edge of a block. */
export const blockCells = 4;
/** Largest number of blocks along the longest axis; in larger scans cells between blocks are skipped. */
const maxBlocks = 128;
/** With fewer blocks along an axis, most of them contain an edge. */
const minBlocksAlong = 7;
const slabBytes = 32e6;

export interface BlockGrid {
  /** blocks along x, y, z */
  size: Vector3;
  /** cells from one block to the next, and position of the first block */
  stride: number;
  first: Vector3;
  /** x fastest; NaN when a cell has no finite value */
  means: Float32Array;
  deviations: Float32Array;
  /** means of 4 × 4 cells on the six faces of the scan: x low, x high, y low, y high, z low, z high */
  faces: { size: [number, number]; means: Float32Array }[];
  /**
   * runs of planes that are constant or equal to the previous plane, inside the scan; null when not all planes were
   * read
   */
  lostRuns: [first: number, last: number][] | null;
  /** planes equal to an earlier one that is not the previous one, among planes read consecutively */
  repeatedSlices: number[];
  /** number of constant planes across x and y, inside the scan; null when not all planes were read */
  deadPlanes: number | null;
  /** number of cells that have the highest value of all */
  atTop: number;
  cells: number;
}

/**
 * Reads a scan once; evenly spaced planes when it is longer than 512 cells. O(cells read); memory: a slab and 8 bytes a
 * block.
 * @returns null for a scan of fewer than seven blocks along an axis
 */
export async function readBlocks(source: SlabSource): Promise<BlockGrid | null> {
  const { grid, dataType } = source;
  const blocks = gatherBlocks(grid.dimensions);
  if (!blocks) return null;
  const [nx, ny] = grid.dimensions;
  for (const [from, to] of blocks.listPieces(slabBytes / (nx * ny * bytesPerVoxel[dataType]))) {
    blocks.add(await source.readSlab(from, to), from);
  }
  return blocks.take();
}

/**
 * Collects blocks from planes that the caller reads anyway. Memory: a plane and 8 bytes a block.
 * @returns null for a scan of fewer than seven blocks along an axis
 */
export function gatherBlocks(dimensions: Vector3): BlockGatherer | null {
  const stride = Math.max(blockCells, Math.ceil(Math.max(...dimensions) / maxBlocks));
  const size = dimensions.map((n) => Math.floor((n - blockCells) / stride) + 1) as Vector3;
  return Math.min(...size) < minBlocksAlong ? null : new BlockGatherer(dimensions, size, stride);
}

class BlockGatherer {
  readonly #grid: Pick<BlockGrid, 'size' | 'stride' | 'first' | 'means' | 'deviations' | 'faces'>;
  readonly #dimensions: Vector3;
  /** whether all planes are read, which is needed to find lost and repeated ones */
  readonly #isWhole: boolean;
  /** sums over the current layer of blocks, of values minus the first cell of each block */
  readonly #layer: { shifts: Float64Array; sums: Float64Array; squares: Float64Array };
  readonly #lost: number[] = [];
  readonly #repeated: number[] = [];
  readonly #seen = new Set<number>();
  readonly #dead: DeadPlanes;
  #previous: VoxelArray | undefined;
  #top = Number.NEGATIVE_INFINITY;
  #atTop = 0;
  #cells = 0;

  constructor(dimensions: Vector3, size: Vector3, stride: number) {
    const [bx, by, bz] = size;
    const face = (u: number, v: number) => ({
      size: [u, v] as [number, number],
      means: new Float32Array(u * v),
    });
    this.#grid = {
      size,
      stride,
      first: dimensions.map((n, k) => Math.floor((n - (size[k] - 1) * stride - blockCells) / 2)) as Vector3,
      means: new Float32Array(bx * by * bz),
      deviations: new Float32Array(bx * by * bz),
      faces: [face(by, bz), face(by, bz), face(bx, bz), face(bx, bz), face(bx, by), face(bx, by)],
    };
    this.#dimensions = dimensions;
    this.#isWhole = stride === blockCells;
    this.#layer = {
      shifts: new Float64Array(bx * by),
      sums: new Float64Array(bx * by),
      squares: new Float64Array(bx * by),
    };
    this.#dead = new DeadPlanes(dimensions);
  }

  /** Ranges of planes to read, each from … to−1; at most `most` planes at once when all are read. */
  listPieces(most: number): [from: number, to: number][] {
    const { size, first, stride } = this.#grid;
    const nz = this.#dimensions[2];
    if (this.#isWhole) {
      const planes = Math.max(1, Math.floor(most));
      return Array.from({ length: Math.ceil(nz / planes) }, (_, piece) => [
        piece * planes,
        Math.min(nz, (piece + 1) * planes),
      ]);
    }
    const layers = Array.from({ length: size[2] }, (_, layer) => first[2] + layer * stride);
    const ends = [0, nz - 1].filter((z) => !layers.some((from) => z >= from && z < from + blockCells));
    return [
      ...layers.map((from): [number, number] => [from, from + blockCells]),
      ...ends.map((z): [number, number] => [z, z + 1]),
    ];
  }

  /** Adds whole planes from plane `zFirst` on, in order; the buffer may be reused afterwards. */
  add(planes: VoxelArray, zFirst: number): void {
    const [nx, ny, nz] = this.#dimensions;
    const { size, first, stride, faces } = this.#grid;
    const count = planes.length / (nx * ny);
    for (let at = 0, z = zFirst; z < zFirst + count; z++, at += nx * ny) {
      const layer = Math.floor((z - first[2]) / stride);
      const within = z - first[2] - layer * stride;
      const isInLayer = layer >= 0 && layer < size[2] && within < blockCells;
      if (this.#isWhole) this.#lookForLost(planes, at, z);
      if (this.#isWhole || isInLayer) this.#countTop(planes, at);
      if (isInLayer) this.#addToLayer(planes, at, layer, within);
      if (z === 0) this.#addToEnd(planes, at, faces[4].means);
      if (z === nz - 1) this.#addToEnd(planes, at, faces[5].means);
    }
    if (this.#isWhole) this.#previous = planes.slice((count - 1) * nx * ny);
  }

  take(): BlockGrid {
    return {
      ...this.#grid,
      lostRuns: this.#isWhole ? innerRuns(this.#lost, this.#dimensions[2]) : null,
      repeatedSlices: this.#repeated,
      deadPlanes: this.#isWhole ? this.#dead.count : null,
      atTop: this.#atTop,
      cells: this.#cells,
    };
  }

  #lookForLost(planes: VoxelArray, at: number, z: number): void {
    const length = this.#dimensions[0] * this.#dimensions[1];
    const sum = weighPlane(planes, at, length);
    const previous =
      at > 0 ? { slab: planes, at: at - length } : this.#previous && { slab: this.#previous, at: 0 };
    if (isLost({ slab: planes, at }, previous, length)) this.#lost.push(z);
    else if (sum !== null && this.#seen.has(sum)) this.#repeated.push(z);
    if (sum !== null) this.#seen.add(sum);
    this.#dead.add(planes, at);
  }

  #countTop(planes: VoxelArray, start: number): void {
    const end = start + this.#dimensions[0] * this.#dimensions[1];
    let [top, atTop] = [this.#top, this.#atTop];
    for (let at = start; at < end; ) {
      // Almost all cells are skipped four at a time: every cell of a scan passes here before its picture is drawn.
      for (; at + 4 <= end; at += 4)
        if (planes[at] >= top || planes[at + 1] >= top || planes[at + 2] >= top || planes[at + 3] >= top)
          break;
      for (const few = Math.min(end, at + 4); at < few; at++) {
        const value = planes[at];
        if (value === top) atTop++;
        else if (value > top && value !== Number.POSITIVE_INFINITY) [top, atTop] = [value, 1];
      }
    }
    this.#top = top;
    this.#atTop = atTop;
    this.#cells += end - start;
  }

  #addToLayer(planes: VoxelArray, plane: number, layer: number, within: number): void {
    const [nx, ny] = this.#dimensions;
    const { size, first, stride, faces } = this.#grid;
    const [bx, by] = size;
    const { shifts, sums, squares } = this.#layer;
    if (within === 0) {
      sums.fill(0);
      squares.fill(0);
      for (let i = 0; i < bx * by; i++)
        shifts[i] =
          planes[plane + (first[1] + Math.floor(i / bx) * stride) * nx + first[0] + (i % bx) * stride];
    }
    for (let bj = 0; bj < by; bj++) {
      for (let j = 0; j < blockCells; j++) {
        const row = plane + (first[1] + bj * stride + j) * nx;
        this.#addRow(planes, row + first[0], bj * bx);
        faces[0].means[layer * by + bj] += planes[row] / blockCells ** 2;
        faces[1].means[layer * by + bj] += planes[row + nx - 1] / blockCells ** 2;
      }
    }
    this.#addToFace(planes, plane + first[0], faces[2].means, layer * bx);
    this.#addToFace(planes, plane + (ny - 1) * nx + first[0], faces[3].means, layer * bx);
    if (within < blockCells - 1) return;
    const { means, deviations } = this.#grid;
    const count = blockCells ** 3;
    for (let i = 0, at = layer * bx * by; i < bx * by; i++, at++) {
      const mean = sums[i] / count;
      means[at] = shifts[i] + mean;
      deviations[at] = Math.sqrt(Math.max(0, (squares[i] - count * mean * mean) / (count - 1)));
    }
  }

  /** Adds four cells of a row to each of its blocks. */
  #addRow(planes: VoxelArray, start: number, at: number): void {
    const { shifts, sums, squares } = this.#layer;
    const { stride, size } = this.#grid;
    for (let i = at, cell = start; i < at + size[0]; i++, cell += stride) {
      const shift = shifts[i];
      const a = planes[cell] - shift;
      const b = planes[cell + 1] - shift;
      const c = planes[cell + 2] - shift;
      const d = planes[cell + 3] - shift;
      sums[i] += a + b + c + d;
      squares[i] += a * a + b * b + c * c + d * d;
    }
  }

  /** Adds the first or the last plane. */
  #addToEnd(planes: VoxelArray, plane: number, patches: Float32Array): void {
    const [nx] = this.#dimensions;
    const { size, first, stride } = this.#grid;
    for (let bj = 0; bj < size[1]; bj++)
      for (let j = 0; j < blockCells; j++)
        this.#addToFace(planes, plane + (first[1] + bj * stride + j) * nx + first[0], patches, bj * size[0]);
  }

  /** Adds a sixteenth of four cells of a row to each patch of a face. */
  #addToFace(planes: VoxelArray, start: number, patches: Float32Array, at: number): void {
    const { stride, size } = this.#grid;
    for (let i = at, cell = start; i < at + size[0]; i++, cell += stride) {
      patches[i] += (planes[cell] + planes[cell + 1] + planes[cell + 2] + planes[cell + 3]) / blockCells ** 2;
    }
  }
}

/** Both are NaN where nothing was scanned. */
const isSame = (a: number, b: number) => a === b || (Number.isNaN(a) && Number.isNaN(b));

/** Whether a plane is constant or a copy of the previous one. */
function isLost(
  { slab, at }: { slab: ArrayLike<number>; at: number },
  previous: { slab: ArrayLike<number>; at: number } | undefined,
  length: number,
): boolean {
  let isConstant = true;
  let isCopy = previous !== undefined;
  for (let i = 0; i < length && (isConstant || isCopy); i++) {
    const value = slab[at + i];
    if (!isSame(value, slab[at])) isConstant = false;
    if (previous && !isSame(value, previous.slab[previous.at + i])) isCopy = false;
  }
  return isConstant || isCopy;
}

/** Approximate number of voxels sampled per plane; difference between consecutive weights. */
const weighed = 4096;
const golden = (Math.sqrt(5) - 1) / 2;

/**
 * A checksum that planes with any noise share only when one is a copy of the other; null when all sampled values are
 * equal. NaN and infinity, as outside of the field of view, are ignored.
 */
function weighPlane(slab: ArrayLike<number>, at: number, length: number): number | null {
  const every = Math.max(1, Math.floor(length / weighed));
  let [sum, weight, isAlike] = [0, golden, true];
  let first: number | undefined;
  for (let i = 0; i < length; i += every) {
    const value = slab[at + i];
    if (Number.isFinite(value)) {
      sum += weight * value;
      first ??= value;
      if (value !== first) isAlike = false;
    }
    weight = weight + golden > 1 ? weight + golden - 1 : weight + golden;
  }
  return isAlike ? null : sum;
}

/** Drops runs at either end, which are empty margins. */
function innerRuns(lost: readonly number[], planes: number): [first: number, last: number][] {
  const runs: number[][] = [];
  for (const z of lost) {
    const run = runs.at(-1);
    if (run?.at(-1) === z - 1) run.push(z);
    else runs.push([z]);
  }
  return runs
    .map((run): [number, number] => [run[0], run[run.length - 1]])
    .filter(([from, to]) => from > 0 && to < planes - 1);
}
