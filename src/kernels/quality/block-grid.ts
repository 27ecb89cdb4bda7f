/** A scan seen coarsely: means and deviations of blocks of cells, which noise hardly moves and half a second reads. */
import { bytesPerVoxel, type SlabSource, type Vector3 } from '../grid/volume.ts';
import { DeadPlanes } from './dead-planes.ts';

/** Cells along each edge of a block. */
export const blockCells = 4;
/** Blocks along the longest axis at most; of larger scans cells between blocks are left out. */
const mostBlocks = 128;
/** With fewer along an axis most of them hold an edge. */
const fewestAlong = 7;
const slabBytes = 32e6;

export interface BlockGrid {
  /** blocks along x, y, z */
  size: Vector3;
  /** cells from one block to the next, and to the first */
  stride: number;
  first: Vector3;
  /** x fastest; NaN where a cell has no finite value */
  means: Float32Array;
  deviations: Float32Array;
  /** means of 4 × 4 cells on the six faces of the scan: x low, x high, y low, y high, z low, z high */
  faces: { size: [number, number]; means: Float32Array }[];
  /** first and last of planes of one value, or the same as the one before, between others; null where not all were read */
  lostRuns: [first: number, last: number][] | null;
  /** planes that are the same as an earlier one that is not the one before; of those that were read one after the other */
  repeatedSlices: number[];
  /** planes across x and y of one value, between others; null where not all were read */
  deadPlanes: number | null;
  /** cells that have the highest value of all */
  atTop: number;
  cells: number;
}

/**
 * Reads the scan once, or of one that is longer than 512 cells evenly spread planes. O(cells read); memory: a slab and 8 bytes
 * a block.
 * @param top the highest grey value of the scan
 * @returns null for a scan of fewer than seven blocks along an axis
 */
export async function readBlocks(
  source: SlabSource,
  top: number,
  signal?: AbortSignal,
): Promise<BlockGrid | null> {
  const { dimensions } = source.grid;
  const [nx, ny, nz] = dimensions;
  const stride = Math.max(blockCells, Math.ceil(Math.max(...dimensions) / mostBlocks));
  const size = dimensions.map((n) => Math.floor((n - blockCells) / stride) + 1) as Vector3;
  if (Math.min(...size) < fewestAlong) return null;
  const first = dimensions.map((n, k) =>
    Math.floor((n - (size[k] - 1) * stride - blockCells) / 2),
  ) as Vector3;
  const [bx, by, bz] = size;
  const means = new Float32Array(bx * by * bz);
  const deviations = new Float32Array(bx * by * bz);
  const face = (u: number, v: number) => ({
    size: [u, v] as [number, number],
    means: new Float32Array(u * v),
  });
  const faces = [face(by, bz), face(by, bz), face(bx, bz), face(bx, bz), face(bx, by), face(bx, by)];
  const sums = new Float64Array(bx * by);
  const squares = new Float64Array(bx * by);
  const lost: number[] = [];
  const repeatedSlices: number[] = [];
  const seen = new Set<number>();
  const dead = new DeadPlanes(dimensions);
  const isWhole = stride === blockCells;
  const layers = isWhole
    ? Math.max(1, Math.floor(slabBytes / (nx * ny * blockCells * bytesPerVoxel[source.dataType])))
    : 1;
  const shift = Number.isFinite(top) ? top / 2 : 0;
  const count = blockCells ** 3;
  let [atTop, cells] = [0, 0];
  let previous: { slab: ArrayLike<number>; at: number } | undefined;
  for (let layer = 0; layer < bz; layer += layers) {
    signal?.throwIfAborted();
    const last = Math.min(bz, layer + layers);
    const from = isWhole && layer === 0 ? 0 : first[2] + layer * stride;
    const to = isWhole && last === bz ? nz : first[2] + (last - 1) * stride + blockCells;
    const slab: ArrayLike<number> = await source.readSlab(from, to, signal);
    for (let at = 0; at < slab.length; at++) if (slab[at] === top) atTop++;
    cells += slab.length;
    for (let z = from; isWhole && z < to; z++) {
      const plane = { slab, at: (z - from) * nx * ny };
      const sum = weighPlane(plane, nx * ny);
      if (isLost(plane, previous, nx * ny)) lost.push(z);
      else if (sum !== null && seen.has(sum)) repeatedSlices.push(z);
      if (sum !== null) seen.add(sum);
      dead.add(slab, plane.at);
      previous = plane;
    }
    for (let bk = layer; bk < last; bk++) {
      sums.fill(0);
      squares.fill(0);
      for (let k = 0; k < blockCells; k++) {
        const plane = (first[2] + bk * stride + k - from) * nx * ny;
        for (let bj = 0; bj < by; bj++) {
          for (let j = 0; j < blockCells; j++) {
            const y = first[1] + bj * stride + j;
            addRow(slab, plane + y * nx + first[0], stride, shift, sums, squares, bj * bx, bx);
            faces[0].means[bk * by + bj] += slab[plane + y * nx] / blockCells ** 2;
            faces[1].means[bk * by + bj] += slab[plane + y * nx + nx - 1] / blockCells ** 2;
          }
        }
        addToFace(slab, plane + first[0], stride, faces[2].means, bk * bx, bx);
        addToFace(slab, plane + (ny - 1) * nx + first[0], stride, faces[3].means, bk * bx, bx);
      }
      for (let i = 0; i < bx * by; i++) {
        const mean = sums[i] / count;
        means[bk * bx * by + i] = shift + mean;
        deviations[bk * bx * by + i] = Math.sqrt(
          Math.max(0, (squares[i] - count * mean * mean) / (count - 1)),
        );
      }
    }
    for (const [z, { means: patches }] of [
      [0, faces[4]],
      [nz - 1, faces[5]],
    ] as const) {
      const isHere = z >= from && z < to;
      if (!isHere && (isWhole || (z === 0 ? layer > 0 : last < bz))) continue;
      const plane: ArrayLike<number> = isHere ? slab : await source.readSlab(z, z + 1, signal);
      const start = isHere ? (z - from) * nx * ny : 0;
      for (let bj = 0; bj < by; bj++) {
        for (let j = 0; j < blockCells; j++) {
          addToFace(
            plane,
            start + (first[1] + bj * stride + j) * nx + first[0],
            stride,
            patches,
            bj * bx,
            bx,
          );
        }
      }
    }
  }
  return {
    size,
    stride,
    first,
    means,
    deviations,
    faces,
    lostRuns: isWhole ? innerRuns(lost, nz) : null,
    repeatedSlices,
    deadPlanes: isWhole ? dead.count : null,
    atTop,
    cells,
  };
}

/** Adds four cells of a row to each of its blocks. */
function addRow(
  slab: ArrayLike<number>,
  start: number,
  stride: number,
  shift: number,
  sums: Float64Array,
  squares: Float64Array,
  at: number,
  count: number,
): void {
  for (let i = 0, cell = start; i < count; i++, cell += stride) {
    const a = slab[cell] - shift;
    const b = slab[cell + 1] - shift;
    const c = slab[cell + 2] - shift;
    const d = slab[cell + 3] - shift;
    sums[at + i] += a + b + c + d;
    squares[at + i] += a * a + b * b + c * c + d * d;
  }
}

/** Adds a sixteenth of four cells of a row to each patch of a face. */
function addToFace(
  slab: ArrayLike<number>,
  start: number,
  stride: number,
  patches: Float32Array,
  at: number,
  count: number,
): void {
  for (let i = 0, cell = start; i < count; i++, cell += stride) {
    patches[at + i] += (slab[cell] + slab[cell + 1] + slab[cell + 2] + slab[cell + 3]) / blockCells ** 2;
  }
}

/** A plane of one value, or a copy of the one before. */
function isLost(
  { slab, at }: { slab: ArrayLike<number>; at: number },
  previous: { slab: ArrayLike<number>; at: number } | undefined,
  length: number,
): boolean {
  let isConstant = true;
  let isCopy = previous !== undefined;
  for (let i = 0; i < length && (isConstant || isCopy); i++) {
    const value = slab[at + i];
    if (value !== slab[at]) isConstant = false;
    if (previous && value !== previous.slab[previous.at + i]) isCopy = false;
  }
  return isConstant || isCopy;
}

/** Voxels of a plane that are looked at, about, and by how much the weights of two that follow each other differ. */
const weighed = 4096;
const golden = (Math.sqrt(5) - 1) / 2;

/** A number that planes with any noise share only where one is a copy of the other; null where all that is looked at is alike. */
function weighPlane({ slab, at }: { slab: ArrayLike<number>; at: number }, length: number): number | null {
  const every = Math.max(1, Math.floor(length / weighed));
  let [sum, weight, isAlike] = [0, golden, true];
  for (let i = 0; i < length; i += every) {
    sum += weight * slab[at + i];
    if (slab[at + i] !== slab[at]) isAlike = false;
    weight = weight + golden > 1 ? weight + golden - 1 : weight + golden;
  }
  return isAlike ? null : sum;
}

/** Runs at an end are margins that hold nothing. */
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
