/** Renders and blurs parts in cells finer than voxels, so that the blur does not depend on the position of a face. */
import { identityDirections, type Vector3, type Volume } from '../../grid/volume.ts';
import { discreteGauss } from '../blur.ts';
import { type Body, measureLength } from '../bodies.ts';
import type { Part } from './bodies.ts';

/** Fine cells along the shortest edge of a voxel. */
const fineCells = 3;
/** Voxels along each side of a block that is first tested as a whole. */
const blockVoxels = 4;
/** Largest allowed change of a distance per unit of length. */
const slack = 1.5;

export interface RenderedPart {
  dimensions: Vector3;
  voxelSizeMm: Vector3;
  /** height above air of each voxel, 1 = the part's own */
  heights: Float32Array;
  /** volume of the part without its pores, inside the grid */
  volumeMm3: number;
  /** area of its surfaces inside the grid, from the total variation of the grey values */
  areaMm2: number;
}

/** @param blurMm standard deviation along each axis, before voxels take their means */
export function renderPart(
  { body, phases }: Part,
  dimensions: Vector3,
  voxelSizeMm: Vector3,
  blurMm: number | Readonly<Vector3>,
): RenderedPart {
  const least = Math.min(...voxelSizeMm);
  const fine = voxelSizeMm.map((edge) => Math.round((fineCells * edge) / least)) as Vector3;
  const { shares, rows } = fineShares(body, dimensions, voxelSizeMm, fine);
  let sum = 0;
  eachShare(rows, shares.length, (i) => {
    sum += shares[i];
  });
  const [ex, ey, ez] = voxelSizeMm.map((edge, k) => edge / fine[k]);
  const volumeMm3 = sum * ex * ey * ez;
  for (const { body: within, share } of phases) {
    const other = fineShares(within, dimensions, voxelSizeMm, fine, shares).shares;
    eachShare(rows, shares.length, (i) => {
      shares[i] *= 1 + (share - 1) * other[i];
    });
  }
  const weights = fine.map((cells, axis) => {
    const along = typeof blurMm === 'number' ? blurMm : blurMm[axis];
    return weighCells(cells, (along * cells) / voxelSizeMm[axis]);
  });
  const size = dimensions.map((n, k) => n * fine[k]) as Vector3;
  let heights = meansOfRows(shares, size[0], weights[0], rows);
  size[0] = dimensions[0];
  for (const axis of [1, 2]) {
    heights = meansAlong(heights, size, axis, weights[axis]);
    size[axis] = dimensions[axis];
  }
  const areaMm2 = measureVariation(heights, dimensions, voxelSizeMm);
  return { dimensions, voxelSizeMm, heights, volumeMm3, areaMm2 };
}

/** For each row of fine cells along x, the first one that is not 0 and the one after the last. */
interface Extents {
  begins: Int32Array;
  ends: Int32Array;
}

/** Visits the cells between the ends of each row in order: reading the rest would only make its memory real. */
function eachShare({ begins, ends }: Extents, cells: number, work: (cell: number) => void): void {
  const length = cells / begins.length;
  for (let row = 0; row < begins.length; row++)
    for (let x = begins[row]; x < ends[row]; x++) work(row * length + x);
}

/**
 * The share of each fine cell that lies in a body, x fastest. @param where restricts the work to cells that are not 0
 * in it
 */
function fineShares(
  body: Body,
  dimensions: Vector3,
  voxelSizeMm: Vector3,
  fine: Vector3,
  where?: Float32Array,
): { shares: Float32Array; rows: Extents } {
  const [nx, ny, nz] = dimensions.map((n, k) => n * fine[k]);
  const edge = voxelSizeMm.map((size, k) => size / fine[k]);
  const first = dimensions.map((n, k) => -(n * voxelSizeMm[k]) / 2 + edge[k] / 2);
  const shares = new Float32Array(nx * ny * nz);
  const rows: Extents = { begins: new Int32Array(ny * nz).fill(nx), ends: new Int32Array(ny * nz) };
  const { begins, ends } = rows;
  const extend = (row: number, from: number, to: number) => {
    if (from < begins[row]) begins[row] = from;
    if (to > ends[row]) ends[row] = to;
  };
  const block = fine.map((n) => n * blockVoxels) as Vector3;
  const voxelReach = (slack * Math.hypot(...voxelSizeMm)) / 2;
  // Further away, a cell is full or empty, whatever the gradient.
  const reach = (slack * Math.max(...edge)) / 2;
  // If the middle of a voxel's row of cells is further away, all of them are full or empty.
  const rowReach = reach + (slack * edge[0] * (fine[0] - 1)) / 2;
  const h = 1e-4 * edge[0];
  const shareAt = (x: number, y: number, z: number, d: number) => {
    if (Math.abs(d) > reach) return d < 0 ? 1 : 0;
    const gx = Math.abs(body.distanceMm(x + h, y, z) - d) / h;
    const gy = Math.abs(body.distanceMm(x, y + h, z) - d) / h;
    const gz = Math.abs(body.distanceMm(x, y, z + h) - d) / h;
    // On an edge exactly at this point, every direction may run along the edge.
    const rise = Math.max(gx * edge[0], gy * edge[1], gz * edge[2], Number.MIN_VALUE);
    return Math.min(Math.max(0.5 - d / rise, 0), 1);
  };
  /** Whether a block of cells lies entirely inside or outside the body, from the distance at its centre. */
  const findSide = (x: number, y: number, z: number, cells: Vector3, far: number) => {
    const d = body.distanceMm(
      first[0] + (x + (cells[0] - 1) / 2) * edge[0],
      first[1] + (y + (cells[1] - 1) / 2) * edge[1],
      first[2] + (z + (cells[2] - 1) / 2) * edge[2],
    );
    return d > far ? 'outside' : d < -far ? 'inside' : 'mixed';
  };
  const fill = (x: number, y: number, z: number, cells: Vector3) => {
    const [toX, toY, toZ] = [
      Math.min(nx, x + cells[0]),
      Math.min(ny, y + cells[1]),
      Math.min(nz, z + cells[2]),
    ];
    for (let cz = z; cz < toZ; cz++)
      for (let cy = y; cy < toY; cy++) {
        const row = cz * ny + cy;
        shares.fill(1, row * nx + x, row * nx + toX);
        extend(row, x, toX);
      }
  };
  const lookAt = (x: number, y: number, z: number) => {
    const side = findSide(x, y, z, fine, voxelReach);
    if (side === 'inside') fill(x, y, z, fine);
    if (side !== 'mixed') return;
    for (let cz = z; cz < z + fine[2]; cz++)
      for (let cy = y; cy < y + fine[1]; cy++) {
        const row = cz * ny + cy;
        const [py, pz] = [first[1] + cy * edge[1], first[2] + cz * edge[2]];
        const middle = x + (fine[0] - 1) / 2;
        const d = body.distanceMm(first[0] + middle * edge[0], py, pz);
        if (d > rowReach) continue;
        for (let cx = x; cx < x + fine[0]; cx++) {
          const cell = row * nx + cx;
          if (where && where[cell] === 0) continue;
          const px = first[0] + cx * edge[0];
          const share =
            d < -rowReach ? 1 : shareAt(px, py, pz, cx === middle ? d : body.distanceMm(px, py, pz));
          if (share === 0) continue;
          shares[cell] = share;
          extend(row, cx, cx + 1);
        }
      }
  };
  for (let z = 0; z < nz; z += block[2]) {
    for (let y = 0; y < ny; y += block[1]) {
      for (let x = 0; x < nx; x += block[0]) {
        const side = findSide(x, y, z, block, blockVoxels * voxelReach);
        if (side === 'inside') fill(x, y, z, block);
        if (side !== 'mixed') continue;
        for (let vz = z; vz < Math.min(nz, z + block[2]); vz += fine[2])
          for (let vy = y; vy < Math.min(ny, y + block[1]); vy += fine[1])
            for (let vx = x; vx < Math.min(nx, x + block[0]); vx += fine[0]) lookAt(vx, vy, vz);
      }
    }
  }
  return { shares, rows };
}

/** Weights of the fine cells from `radius` before a voxel's first one; 0 outside of from … to. */
interface CellWeights {
  fine: number;
  radius: number;
  weights: Float64Array;
  from: number;
  to: number;
}

/** @param deviation of the blur, in fine cells */
function weighCells(fine: number, deviation: number): CellWeights {
  const half = discreteGauss(deviation ** 2);
  const radius = half.length - 1;
  const weights = new Float64Array(2 * radius + fine);
  for (let cell = 0; cell < fine; cell++)
    for (let k = -radius; k <= radius; k++) weights[cell + k + radius] += half[Math.abs(k)] / fine;
  // Weights of zero occur at both ends only.
  const [from, to] = [weights.findIndex(isOfWeight), weights.findLastIndex(isOfWeight)];
  return { fine, radius, weights, from, to };
}

/** Blurs and averages over voxels in one pass along x; the result has one value per voxel. */
function meansOfRows(
  values: Float32Array,
  length: number,
  { fine, radius, weights, from, to }: CellWeights,
  { begins, ends }: Extents,
): Float32Array {
  const count = length / fine;
  const means = new Float32Array(begins.length * count);
  // Padded on both ends with border values, as far as the weights reach.
  const line = new Float32Array(length + 2 * radius);
  /** for each value, the index of the last one of its run of equal values */
  const lastAlike = new Uint32Array(line.length);
  const meanAt = (at: number) => {
    let sum = 0;
    for (let w = from; w <= to; w++) sum = Math.fround(sum + weights[w] * line[at + w]);
    return sum;
  };
  line.fill(1);
  const inside = meanAt(0);
  for (let row = 0; row < begins.length; row++) {
    // Most rows lie outside the part.
    if (begins[row] >= ends[row]) continue;
    line.fill(0);
    line.set(values.subarray(row * length + begins[row], row * length + ends[row]), radius + begins[row]);
    line.fill(line[radius], 0, radius);
    line.fill(line[radius + length - 1], radius + length);
    // Values before and after these are 0.
    const first = begins[row] === 0 ? 0 : radius + begins[row];
    const last = ends[row] === length ? line.length - 1 : radius + ends[row] - 1;
    lastAlike[last] = last;
    for (let i = last - 1; i >= first; i--) lastAlike[i] = line[i] === line[i + 1] ? lastAlike[i + 1] : i;
    for (let i = 0; i < count; i++) {
      const start = i * fine + from;
      const end = i * fine + to;
      if (end < first || start > last) continue;
      const share = line[start];
      const isEven = start >= first && lastAlike[start] >= end && (share === 0 || share === 1);
      means[row * count + i] = isEven ? share * inside : meanAt(i * fine);
    }
  }
  return means;
}

/** Like `meansOfRows` along another axis. */
function meansAlong(
  values: Float32Array,
  size: Vector3,
  axis: number,
  { fine, radius, weights, from, to }: CellWeights,
): Float32Array {
  const length = size[axis];
  const stride = size.slice(0, axis).reduce((a, b) => a * b, 1);
  const outer = size.slice(axis + 1).reduce((a, b) => a * b, 1);
  const count = length / fine;
  const means = new Float32Array(outer * count * stride);
  /** for the rows along the axis, where their content begins and ends */
  const begins = new Uint32Array(length);
  const ends = new Uint32Array(length);
  for (let o = 0; o < outer; o++) {
    for (let at = 0; at < length; at++) {
      const row = (o * length + at) * stride;
      let end = stride;
      while (end > 0 && values[row + end - 1] === 0) end--;
      let begin = 0;
      while (begin < end && values[row + begin] === 0) begin++;
      begins[at] = begin;
      ends[at] = end;
    }
    for (let i = 0; i < count; i++) {
      const target = (o * count + i) * stride;
      for (let w = from; w <= to; w++) {
        const weight = weights[w];
        const at = Math.min(length - 1, Math.max(0, i * fine + w - radius));
        const source = (o * length + at) * stride;
        for (let s = begins[at]; s < ends[at]; s++) means[target + s] += weight * values[source + s];
      }
    }
  }
  return means;
}

const isOfWeight = (weight: number) => weight >= 1e-9;

/** Co-area formula: the mean area of the level surfaces from air to the part's own height. */
function measureVariation(heights: Float32Array, [nx, ny, nz]: Vector3, [sx, sy, sz]: Vector3): number {
  let sum = 0;
  const clip = (at: number) => Math.min(1, heights[at]);
  for (let z = 1; z + 1 < nz; z++) {
    for (let y = 1; y + 1 < ny; y++) {
      for (let x = 1; x + 1 < nx; x++) {
        const at = (z * ny + y) * nx + x;
        const gx = (clip(at + 1) - clip(at - 1)) / (2 * sx);
        const gy = (clip(at + nx) - clip(at - nx)) / (2 * sy);
        const gz = (clip(at + nx * ny) - clip(at - nx * ny)) / (2 * sz);
        if (gx !== 0 || gy !== 0 || gz !== 0) sum += measureLength(gx, gy, gz);
      }
    }
  }
  return sum * sx * sy * sz;
}

/** A volume of this size, without grey values yet. */
export const emptyVolume = ({ dimensions, voxelSizeMm }: RenderedPart): Volume & { data: Uint16Array } => ({
  dimensions,
  voxelSizeMm,
  originMm: dimensions.map((n, k) => -((n - 1) / 2) * voxelSizeMm[k]) as Vector3,
  directions: identityDirections(),
  dataType: 'uint16',
  data: new Uint16Array(dimensions[0] * dimensions[1] * dimensions[2]),
});
