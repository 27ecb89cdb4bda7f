/** Blocks of a volume by bricks: what edges and places deep in air and in material say in each of them. */
import type { Vector3 } from '../grid/volume.ts';
import { defineTask, type OnArena } from '../task.ts';
import type { WorkingCells } from './working-cells.ts';

/** Blocks along each edge of a brick. */
export const brickBlocks = 4;

/**
 * 1 x y z xx yy zz xy xz yz r rx ry rz g: places in blocks from the middle of the volume, grey values g, and r, what they
 * differ by from what is known so far of the level of their kind.
 */
export const moments = 15;

/** Steepness is counted by sign, exponent and four bits of the fraction of its single-precision number. */
export const steepnessBins = 4096;
export const steepnessShift = 19;

interface Slab extends OnArena, WorkingCells {
  /** bricks along z */
  from: number;
  to: number;
}

export const bricksOf = (cells: Vector3): Vector3 => cells.map((n) => Math.ceil(n / brickBlocks)) as Vector3;

/** Planes zFrom … zTo−1, as far as there are any, by 1 2 1 along each axis where blocks are single cells. */
function smoothedPlanes({ memory, cells, step, means }: Slab, zFrom: number, zTo: number) {
  const [nx, ny, nz] = cells;
  const plane = nx * ny;
  const [first, last] = [Math.max(0, zFrom), Math.min(nz, zTo)];
  const all = new Float32Array(memory.buffer, means, plane * nz);
  if (step > 1) return { values: all.subarray(first * plane, last * plane), first, last };
  const values = new Float32Array(plane * (last - first));
  const row = new Float32Array(plane);
  const column = new Float32Array(plane);
  for (let z = first; z < last; z++) {
    const [a, b, c] = [Math.max(0, z - 1) * plane, z * plane, Math.min(nz - 1, z + 1) * plane];
    for (let i = 0; i < plane; i++) row[i] = all[a + i] + 2 * all[b + i] + all[c + i];
    for (let y = 0; y < ny; y++) {
      const [d, e, f] = [Math.max(0, y - 1) * nx, y * nx, Math.min(ny - 1, y + 1) * nx];
      for (let x = 0; x < nx; x++) column[e + x] = row[d + x] + 2 * row[e + x] + row[f + x];
    }
    const at = (z - first) * plane;
    for (let y = 0; y < ny; y++) {
      const e = y * nx;
      for (let x = 0; x < nx; x++) {
        const left = column[x > 0 ? e + x - 1 : e];
        const right = column[x < nx - 1 ? e + x + 1 : e + x];
        values[at + e + x] = (left + 2 * column[e + x] + right) / 64;
      }
    }
  }
  return { values, first, last };
}

/** Square of the central differences. */
function steepnessAt(values: Float32Array, at: number, nx: number, plane: number): number {
  const x = values[at + 1] - values[at - 1];
  const y = values[at + nx] - values[at - nx];
  const z = values[at + plane] - values[at - plane];
  return x * x + y * y + z * z;
}

/** Counts how steep grey values are. */
export const countSteepness = defineTask(
  import.meta.url,
  'countSteepness',
  (_, input: Slab & { counts: number }): void => {
    const [nx, ny, nz] = input.cells;
    const counts = new Uint32Array(input.memory.buffer, input.counts, steepnessBins);
    const [zFrom, zTo] = [Math.max(1, input.from * brickBlocks), Math.min(nz - 1, input.to * brickBlocks)];
    const { values, first } = smoothedPlanes(input, zFrom - 1, zTo + 1);
    const single = new Float32Array(1);
    const bits = new Uint32Array(single.buffer);
    for (let z = zFrom; z < zTo; z++) {
      for (let y = 1; y < ny - 1; y++) {
        const at = ((z - first) * ny + y) * nx;
        for (let x = 1; x < nx - 1; x++) {
          single[0] = steepnessAt(values, at + x, nx, nx * ny);
          counts[bits[0] >>> steepnessShift]++;
        }
      }
    }
  },
);

/** Of each brick: how much steeper than `least` its places are, and that times their grey values. */
export const sumEdges = defineTask(
  import.meta.url,
  'sumEdges',
  (_, input: Slab & { least: number; sums: number }): void => {
    const [nx, ny, nz] = input.cells;
    const [bx, by] = bricksOf(input.cells);
    const count = bx * by * (input.to - input.from);
    const sums = new Float64Array(input.memory.buffer, input.sums + 16 * bx * by * input.from, 2 * count);
    sums.fill(0);
    const [zFrom, zTo] = [Math.max(1, input.from * brickBlocks), Math.min(nz - 1, input.to * brickBlocks)];
    const { values, first } = smoothedPlanes(input, zFrom - 1, zTo + 1);
    for (let z = zFrom; z < zTo; z++) {
      for (let y = 1; y < ny - 1; y++) {
        const at = ((z - first) * ny + y) * nx;
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

/** Whether a block is above, below or neither. */
const [isMaterial, isAir] = [1, 2];

interface DeepInput extends Slab {
  /** addresses, f32 of each brick: material is above, air below, a quarter of the way from material and from air */
  above: number;
  below: number;
  /** no level is known yet */
  isFirst: boolean;
  /** blocks around a deep one that are of its kind too */
  reach: number;
  /** address, f64: the moments of deep air, then of deep material, of each brick */
  sums: number;
}

/** Sums over places that have nothing but air, or nothing but material, around them. */
export const sumDeepPlaces = defineTask(import.meta.url, 'sumDeepPlaces', (_, input: DeepInput): void => {
  const { memory, cells, reach, isFirst } = input;
  const [nx, ny, nz] = cells;
  const plane = nx * ny;
  const bricks = bricksOf(cells);
  const [bx, by] = bricks;
  const [zFrom, zTo] = [input.from * brickBlocks, Math.min(nz, input.to * brickBlocks)];
  const { values, first, last } = smoothedPlanes(input, zFrom - reach, zTo + reach);
  const count = bx * by * bricks[2];
  const above = new Float32Array(memory.buffer, input.above, count);
  const below = new Float32Array(memory.buffer, input.below, count);
  const kinds = new Uint8Array(plane * (last - first));
  const levels = [new Float32Array(nx), new Float32Array(nx)];
  for (let z = first; z < last; z++) {
    for (let y = 0; y < ny; y++) {
      readRow(above, bricks, y, z, levels[0]);
      readRow(below, bricks, y, z, levels[1]);
      const at = ((z - first) * ny + y) * nx;
      for (let x = 0; x < nx; x++) {
        const value = values[at + x];
        kinds[at + x] = value > levels[0][x] ? isMaterial : value < levels[1][x] ? isAir : 0;
      }
    }
  }
  narrow(kinds, nx, 1, reach);
  narrow(kinds, ny, nx, reach);
  narrow(kinds, last - first, plane, reach);
  const means = new Float32Array(memory.buffer, input.means, plane * nz);
  const perBrick = 2 * moments;
  const sums = new Float64Array(
    memory.buffer,
    input.sums + 8 * perBrick * bx * by * input.from,
    perBrick * bx * by * (input.to - input.from),
  );
  sums.fill(0);
  const middle = cells.map((n) => (n - 1) / 2);
  for (let z = zFrom; z < zTo; z++) {
    const w = z - middle[2];
    for (let y = 0; y < ny; y++) {
      const v = y - middle[1];
      readRow(above, bricks, y, z, levels[0]);
      readRow(below, bricks, y, z, levels[1]);
      const brickRow = ((Math.floor(z / brickBlocks) - input.from) * by + Math.floor(y / brickBlocks)) * bx;
      const at = (z * ny + y) * nx;
      for (let x = 0; x < nx; x++) {
        const kind = kinds[at + x - first * plane];
        if (kind === 0) continue;
        const u = x - middle[0];
        const g = means[at + x];
        const quarter = (levels[0][x] - levels[1][x]) / 2;
        const r = isFirst ? g : g - (kind === isAir ? levels[1][x] - quarter : levels[0][x] + quarter);
        let i = perBrick * (brickRow + Math.floor(x / brickBlocks)) + (kind === isAir ? 0 : moments);
        sums[i++] += 1;
        sums[i++] += u;
        sums[i++] += v;
        sums[i++] += w;
        sums[i++] += u * u;
        sums[i++] += v * v;
        sums[i++] += w * w;
        sums[i++] += u * v;
        sums[i++] += u * w;
        sums[i++] += v * w;
        sums[i++] += r;
        sums[i++] += r * u;
        sums[i++] += r * v;
        sums[i++] += r * w;
        sums[i] += g;
      }
    }
  }
});

/** A row of a field of bricks, straight from one's middle to the next one's. */
function readRow(field: Float32Array, [bx, by, bz]: Vector3, y: number, z: number, row: Float32Array): void {
  const place = (n: number, most: number) => Math.min(Math.max((n + 0.5) / brickBlocks - 0.5, 0), most - 1);
  const [py, pz] = [place(y, by), place(z, bz)];
  const [y0, z0] = [Math.floor(py), Math.floor(pz)];
  const [y1, z1] = [Math.min(by - 1, y0 + 1), Math.min(bz - 1, z0 + 1)];
  const [sy, sz] = [py - y0, pz - z0];
  const at = (k: number) =>
    (1 - sz) * ((1 - sy) * field[(z0 * by + y0) * bx + k] + sy * field[(z0 * by + y1) * bx + k]) +
    sz * ((1 - sy) * field[(z1 * by + y0) * bx + k] + sy * field[(z1 * by + y1) * bx + k]);
  let k = 0;
  let [from, to] = [at(0), at(Math.min(1, bx - 1))];
  for (let x = 0; x < row.length; x++) {
    const px = place(x, bx);
    if (px >= k + 1 && k + 2 < bx) {
      k++;
      [from, to] = [to, at(k + 1)];
    }
    row[x] = from + (to - from) * (px - k);
  }
}

/** Leaves of each kind what has only its kind within `reach` along an axis; nothing is beyond the border. */
function narrow(kinds: Uint8Array, length: number, stride: number, reach: number): void {
  const line = new Uint8Array(length);
  const lines = kinds.length / length;
  for (let i = 0; i < lines; i++) {
    const start = Math.floor(i / stride) * stride * length + (i % stride);
    for (let k = 0; k < length; k++) line[k] = kinds[start + k * stride];
    for (let k = 0; k < length; k++) {
      let kind = line[k];
      for (let r = 1; r <= reach && kind !== 0; r++) {
        if (k >= r) kind &= line[k - r];
        if (k + r < length) kind &= line[k + r];
      }
      kinds[start + k * stride] = kind;
    }
  }
}
