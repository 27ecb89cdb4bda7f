/**
 * Divides the blocks of a volume into bricks, and sums up edges and places deep in air and in material in each brick.
 */
import type { Vector3 } from '../grid/volume.ts';
import { defineTask, type OnArena } from '../task.ts';
import type { WorkingCells } from './working-cells.ts';

/** Blocks along each edge of a brick. */
export const brickBlocks = 4;

/**
 * 1 x y z xx yy zz xy xz yz r rx ry rz g: positions in blocks from the centre of the volume, grey values g, and r, the
 * residuals from the current level of their phase.
 */
export const moments = 15;

/** Steepness is binned by sign, exponent and four fraction bits of its single-precision representation. */
export const steepnessBins = 4096;
export const steepnessShift = 19;

interface Slab extends OnArena, WorkingCells {
  /** range of bricks along z */
  from: number;
  to: number;
}

export const listBricks = (cells: Vector3): Vector3 =>
  cells.map((n) => Math.ceil(n / brickBlocks)) as Vector3;

const listValues = ({ memory, cells: [nx, ny, nz], smoothed }: Slab) =>
  new Float32Array(memory.buffer, smoothed, nx * ny * nz);

/** Squared magnitude of the central differences. */
function steepnessAt(values: Float32Array, at: number, nx: number, plane: number): number {
  const x = values[at + 1] - values[at - 1];
  const y = values[at + nx] - values[at - nx];
  const z = values[at + plane] - values[at - plane];
  return x * x + y * y + z * z;
}

/** Histogram of steepness. */
export const countSteepness = defineTask(
  import.meta.url,
  'countSteepness',
  (_, input: Slab & { counts: number }): void => {
    const [nx, ny, nz] = input.cells;
    const counts = new Uint32Array(input.memory.buffer, input.counts, steepnessBins);
    const [zFrom, zTo] = [Math.max(1, input.from * brickBlocks), Math.min(nz - 1, input.to * brickBlocks)];
    const values = listValues(input);
    const single = new Float32Array(1);
    const bits = new Uint32Array(single.buffer);
    for (let z = zFrom; z < zTo; z++) {
      for (let y = 1; y < ny - 1; y++) {
        const at = (z * ny + y) * nx;
        for (let x = 1; x < nx - 1; x++) {
          single[0] = steepnessAt(values, at + x, nx, nx * ny);
          counts[bits[0] >>> steepnessShift]++;
        }
      }
    }
  },
);

/** For each brick: the sum of steepness above `least` over its places, and the same weighted by their grey values. */
export const sumEdges = defineTask(
  import.meta.url,
  'sumEdges',
  (_, input: Slab & { least: number; sums: number }): void => {
    const [nx, ny, nz] = input.cells;
    const [bx, by] = listBricks(input.cells);
    const count = bx * by * (input.to - input.from);
    const sums = new Float64Array(input.memory.buffer, input.sums + 16 * bx * by * input.from, 2 * count);
    sums.fill(0);
    const [zFrom, zTo] = [Math.max(1, input.from * brickBlocks), Math.min(nz - 1, input.to * brickBlocks)];
    const values = listValues(input);
    for (let z = zFrom; z < zTo; z++) {
      for (let y = 1; y < ny - 1; y++) {
        const at = (z * ny + y) * nx;
        const brickRow = ((Math.floor(z / brickBlocks) - input.from) * by + Math.floor(y / brickBlocks)) * bx;
        for (let x = 1; x < nx - 1; x++) {
          const weight = steepnessAt(values, at + x, nx, nx * ny) - input.least;
          if (!(weight > 0)) continue;
          const brick = 2 * (brickRow + Math.floor(x / brickBlocks));
          sums[brick] += weight;
          sums[brick + 1] += weight * values[at + x];
        }
      }
    }
  },
);
