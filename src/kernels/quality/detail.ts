/** Details that only single cells show: rings, blur of edges, and thin walls. Measured in some of the planes. */

import { cross } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';
import { type BlockGrid, blockCells } from './block-grid.ts';
import { type BlockLevels, median } from './block-levels.ts';
import { addDouble, type DoubleEdges, type RiseProducts } from './double-edge.ts';
import type { EdgeShape } from './edge-shape.ts';
import { measureTail } from './edge-tail.ts';

/** Whole planes first … first + planes − 1, x fastest, with the scan's blocks and levels. */
export interface DetailSlab {
  values: ArrayLike<number>;
  dimensions: Vector3;
  first: number;
  planes: number;
  blocks: BlockGrid;
  levels: BlockLevels;
}

/**
 * Difference between the means of the nine cells on either side of a cell along an axis: small on a plateau, not so at
 * an edge that a cone beam smears over many cells.
 */
export function riseAcross(nx: number, ny: number) {
  const strides = [1, nx, nx * ny];
  const faces = strides.map((own, axis) => {
    const [u, v] = [strides[(axis + 1) % 3], strides[(axis + 2) % 3]];
    return Array.from({ length: 9 }, (_, n) => own + ((n % 3) - 1) * u + (Math.floor(n / 3) - 1) * v);
  });
  return (values: ArrayLike<number>, cell: number, axis: number): number => {
    let rise = 0;
    for (const step of faces[axis]) rise += values[cell + step] - values[cell - step];
    return Math.abs(rise) / 9;
  };
}

/** Smallest number of cells of a ring for its mean to count. */
const minPerRing = 60;
/** Standard errors subtracted from a ring's mean. */
const ringErrors = 4;

/**
 * Height of the strongest ring: difference between the cells at one distance from the centre of the planes and their
 * surroundings, as a share of the contrast. Rings are centred on the axis of rotation, structure is not. Only uniform
 * places are used; rings around another centre, or wider than a dozen cells, are not detected.
 * @param layer of blocks
 * @returns the height, and the radius in cells
 */
export function measureRings(
  { values, dimensions, first, blocks, levels }: DetailSlab,
  layer: number,
): { height: number; radius: number } {
  const { size, stride } = blocks;
  const [nx, ny] = dimensions;
  const [bx, by] = size;
  const contrast = levels.materials[0].grey - levels.air;
  const radii = Math.ceil(Math.hypot(nx, ny) / 2) + 1;
  const counts = new Float64Array(radii);
  const sums = new Float64Array(radii);
  const squares = new Float64Array(radii);
  const start = blocks.first[2] + layer * stride - first;
  for (let bj = 2; bj + 2 < by; bj++) {
    for (let bi = 2; bi + 2 < bx; bi++) {
      const at = (layer * by + bj) * bx + bi;
      const around = levelAround(blocks, at, levels);
      if (Number.isNaN(around)) continue;
      for (let j = 0; j < blockCells; j++) {
        const y = blocks.first[1] + bj * stride + j;
        for (let i = 0; i < blockCells; i++) {
          const x = blocks.first[0] + bi * stride + i;
          let sum = 0;
          for (let k = 0; k < blockCells; k++) sum += values[((start + k) * ny + y) * nx + x];
          const residual = sum / blockCells - around;
          const radius = Math.round(Math.hypot(x - (nx - 1) / 2, y - (ny - 1) / 2));
          counts[radius]++;
          sums[radius] += residual;
          squares[radius] += residual * residual;
        }
      }
    }
  }
  let strongest = { height: 0, radius: 0 };
  for (let radius = 3; radius < radii; radius++) {
    const count = counts[radius];
    if (count < minPerRing) continue;
    const mean = sums[radius] / count;
    const error = Math.sqrt(Math.max(0, squares[radius] / count - mean * mean) / count);
    const height = (Math.abs(mean) - ringErrors * error) / contrast;
    if (height > strongest.height) strongest = { height, radius };
  }
  return strongest;
}

/** Blocks around a ring's place differ by less than this share of the contrast; otherwise there is an edge. */
const ringWithin = 0.4;

/**
 * Effective contrast for uniformity checks: the blurred foot of an edge to a denser material is higher in proportion to
 * its density.
 */
export function findEvenness({ air, materials }: BlockLevels): number {
  const contrast = materials[0].grey - air;
  return contrast ** 2 / (materials[materials.length - 1].grey - air);
}

/**
 * Within a block a ring causes a deviation of a fifth of the contrast, a wall or an edge half of it. Needed because
 * walls thinner than a block, and fins above one another, leave the block means alike.
 */
const [ringDeviation, noiseDeviation] = [0.3, 1.35];

/**
 * Median of the nine blocks of one layer around a block; NaN when these or the sixteen around them differ as at edges,
 * or when the nine contain edges themselves.
 */
export function levelAround({ means, deviations, size }: BlockGrid, at: number, levels: BlockLevels): number {
  const [bx, by] = size;
  const within = ringWithin * findEvenness(levels);
  const most = Math.hypot(
    ringDeviation * (levels.materials[0].grey - levels.air),
    noiseDeviation * levels.noise,
  );
  const near: number[] = [];
  // When a face runs through the layer, all of its blocks are half full.
  for (const other of [at - bx * by, at + bx * by]) {
    if (!(Math.abs((means[other] ?? means[at]) - means[at]) < within / 2)) return Number.NaN;
  }
  for (let j = -2; j <= 2; j++) {
    for (let i = -2; i <= 2; i++) {
      const mean = means[at + j * bx + i];
      if (!(Math.abs(mean - means[at]) < within)) return Number.NaN;
      if (Math.abs(i) > 1 || Math.abs(j) > 1) continue;
      if (!(deviations[at + j * bx + i] < most)) return Number.NaN;
      near.push(mean);
    }
  }
  return median(near);
}

/** Largest number of blocks between the flat ones of an edge: three for an edge blurred by three cells. */
const maxBlocksBetween = 3;
/**
 * Across more than one block, only edges perpendicular to the lines count, not inner corners: largest squared slope.
 */
const minTilt = 0.15;
/** Two steps of an edge show in the mean of its lines up to this squared slope. */
const maxDoubleTilt = 0.7;
/** A block is flat when its standard deviation, beyond noise, is below this share of the contrast. */
const flatWithin = 0.03;

/** An edge across an axis: its steepness, and the range of slices in which it was read, from … to−1. */
export interface SteepEdge {
  steepness: number;
  from: number;
  to: number;
}
export type SteepEdges = [x: SteepEdge[], y: SteepEdge[], z: SteepEdge[]];
export interface EdgesSeen {
  steep: SteepEdges;
  /** overshoot of each above the material behind it, as a share of its height; 0 when noise explains it */
  excesses: number[];
  /** excess of the grey values beside each over air further out, as a share of its height */
  tails: number[];
  doubles: DoubleEdges[];
  products: RiseProducts[];
  shape: EdgeShape;
}
/** Overshoot that noise and unevenness near an edge can cause. */
const minExcess = 0.1;

/**
 * Steepness of edges between a flat block of air and one of material, with some blocks between: the sum of squared
 * steps from cell to cell along each of sixteen lines, as shares of the contrast, corrected for the edge's tilt and for
 * noise. For an edge blurred by a Gaussian of s cells it is 1 / (2 √π s), nearly independent of the levels. Only when
 * the grid has no gaps.
 */
export function addEdges(
  slab: DetailSlab,
  { steep, excesses, tails, doubles, products, shape }: EdgesSeen,
): void {
  const { first, planes, blocks, levels } = slab;
  const { size, stride, means, deviations } = blocks;
  if (stride !== blockCells) return;
  const { noise, level } = levels;
  const within = Math.hypot(1.2 * noise, flatWithin * (levels.materials[0].grey - levels.air));
  const isFlat = (block: number) => deviations[block] < within;
  const blockStrides = [1, size[0], size[0] * size[1]];
  const layers = [0, 1].map((end) => (first + end * planes - blocks.first[2]) / stride);
  const from: Vector3 = [0, 0, Math.max(0, Math.ceil(layers[0]))];
  const to: Vector3 = [size[0], size[1], Math.min(size[2], Math.floor(layers[1]))];
  const profile = new Float64Array((maxBlocksBetween + 2) * blockCells);
  const lines = new Float64Array(16 * profile.length);
  for (let k = from[2]; k < to[2]; k++) {
    for (let j = from[1]; j < to[1]; j++) {
      for (let i = from[0]; i < to[0]; i++) {
        const block = (k * size[1] + j) * size[0] + i;
        if (!isFlat(block)) continue;
        for (let axis = 0; axis < 3; axis++) {
          const along = blockStrides[axis];
          const most = Math.min(maxBlocksBetween, to[axis] - [i, j, k][axis] - 2);
          let between = 1;
          while (between <= most && !isFlat(block + (between + 1) * along)) between++;
          const end = block + (between + 1) * along;
          if (between > most || means[block] > level === means[end] > level) continue;
          const buffers = { profile, lines };
          const edge = measureEdge(slab, axis, [i, j, k], between, [means[block], means[end]], buffers);
          if (between === 1 || edge.tilt < minTilt) {
            const from = blocks.first[2] + k * blockCells;
            const to = from + (axis === 2 ? between + 2 : 1) * blockCells;
            steep[axis].push({ steepness: edge.steepness, from, to });
          }
          excesses.push(edge.excess);
          products.push(edge.products);
          const step = means[end] - means[block];
          const cells = (between + 2) * blockCells;
          if (edge.tilt < maxDoubleTilt)
            addDouble(profile, cells, noise / Math.abs(step), step > 0, doubles[axis]);
          if (!shape.isFull) shape.add(lines, cells, step > 0, noise / Math.abs(step));
          const isAirFirst = means[block] < means[end];
          const place = [i, j, k][axis] + (isAirFirst ? -1 : between + 2);
          const beyond = isAirFirst ? block - along : end + along;
          if (place < 0 || place >= size[axis] || !isFlat(beyond) || means[beyond] > level) continue;
          const [air, material] = isAirFirst ? [block, end] : [end, block];
          const share = (means[beyond] - means[air]) / (means[material] - means[air]);
          const tail = measureTail(profile, cells, isAirFirst, edge, share);
          if (!Number.isNaN(tail)) tails.push(tail);
        }
      }
    }
  }
}

/**
 * Measures one edge along sixteen lines.
 * @param place the flat block where it starts
 * @param ends the means of the two flat blocks
 * @param buffers for the mean profile of the longest edge, in cells, and for the profiles of its lines
 */
function measureEdge(
  { values, dimensions, first, blocks, levels }: DetailSlab,
  axis: number,
  place: Vector3,
  between: number,
  [start, end]: [number, number],
  { profile, lines }: { profile: Float64Array; lines: Float64Array },
): { steepness: number; tilt: number; excess: number; products: RiseProducts } {
  const strides = [1, dimensions[0], dimensions[0] * dimensions[1]];
  const [along, u, v] = [axis, (axis + 1) % 3, (axis + 2) % 3];
  const cells = (between + 2) * blockCells;
  const step = end - start;
  const [x, y, z] = place.map((n, k) => blocks.first[k] + n * blocks.stride);
  const corner = ((z - first) * dimensions[1] + y) * dimensions[0] + x;
  profile.fill(0, 0, cells);
  // Slopes of the plane through the sixteen midpoints on 4 × 4 positions.
  let [slopeU, slopeV] = [0, 0];
  let [sum, quiet, toNext, toSecond] = [0, 0, 0, 0];
  for (let line = 0; line < 16; line++) {
    const from = corner + (line & 3) * strides[u] + (line >> 2) * strides[v];
    let before = 0;
    let mean = 0;
    let last = 0;
    let secondLast = 0;
    for (let c = 0; c <= cells; c++) {
      const share = c === cells ? 1 : (values[from + c * strides[along]] - start) / step;
      mean += (share - before) * c;
      if (c < cells) {
        profile[c] += share / 16;
        lines[line * cells + c] = share;
      }
      const rise = c > 0 && c < cells ? share - before : 0;
      const squared = rise ** 2;
      sum += squared;
      toNext += rise * last;
      toSecond += rise * secondLast;
      secondLast = last;
      last = rise;
      if (c < blockCells || c > cells - blockCells) quiet += squared;
      before = share;
    }
    slopeU += ((line & 3) - 1.5) * mean;
    slopeV += ((line >> 2) - 1.5) * mean;
  }
  // Six of the steps between cells lie within the flat blocks.
  const fromNoise = (quiet / 16 / 6) * (cells - 1);
  const slopeSquared = (slopeU / 20) ** 2 + (slopeV / 20) ** 2;
  const white = (levels.noise / step) ** 2;
  const tilt = Math.max(0, slopeSquared - (2 * cells * white) / 20);
  // A sharpening filter overshoots on the side of air by the same amount.
  let [highest, lowest] = [profile[0], profile[0]];
  for (let c = 1; c < cells; c++) {
    highest = Math.max(highest, profile[c]);
    lowest = Math.min(lowest, profile[c]);
  }
  const [above, below] = [highest - 1, -lowest];
  const excess = step > 0 ? above - below : below - above;
  return {
    steepness: (sum / 16 - fromNoise) * Math.sqrt(1 + tilt),
    tilt,
    excess: excess > minExcess + levels.noise / Math.abs(step) ? excess : 0,
    // White noise enters each step and, negatively, the next one.
    products: [sum / 16 - 2 * (cells - 1) * white, toNext / 16 + (cells - 2) * white, toSecond / 16],
  };
}

/** Largest extent of a thin wall's profile on either side, in cells; sampled in steps of half a cell. */
const reach = 7;
const [lineStep, endShare] = [0.5, 0.15];
/** Planes required around a block for that, unless the scan ends there. */
export const wallMargin = reach + 3;

/**
 * Thickness of the material at the brightest cell of a block, in cells: the grey values along the direction of
 * strongest change (first eigenvector of the structure tensor of 7³ cells), integrated and divided by the contrast.
 * Nine lines are averaged.
 * @returns NaN when it extends further than seven cells on a side or beyond the planes; at the end of the scan the last
 * values are repeated
 */
export function measureWall(
  { values, dimensions, first, planes, blocks, levels }: DetailSlab,
  [i, j, k]: Vector3,
): number {
  const { stride } = blocks;
  const [nx, ny] = dimensions;
  const corner = [i, j, k].map((b, axis) => blocks.first[axis] + b * stride);
  corner[2] -= first;
  const isBefore = first > 0 && corner[2] < wallMargin;
  const isAfter = first + planes < dimensions[2] && corner[2] + blockCells > planes - wallMargin;
  if (isBefore || isAfter) return Number.NaN;
  const clamp = (n: number, end: number) => (n < 0 ? 0 : n < end ? n : end - 1);
  const at = (x: number, y: number, z: number) =>
    values[(clamp(z, planes) * ny + clamp(y, ny)) * nx + clamp(x, nx)];
  const smooth = (x: number, y: number, z: number) =>
    2 * at(x, y, z) +
    at(x - 1, y, z) +
    at(x + 1, y, z) +
    at(x, y - 1, z) +
    at(x, y + 1, z) +
    at(x, y, z - 1) +
    at(x, y, z + 1);
  let [greatest, cx, cy, cz] = [Number.NEGATIVE_INFINITY, 0, 0, 0];
  for (let z = corner[2] - 1; z <= corner[2] + blockCells; z++) {
    for (let y = corner[1] - 1; y <= corner[1] + blockCells; y++) {
      for (let x = corner[0] - 1; x <= corner[0] + blockCells; x++) {
        const value = smooth(x, y, z);
        if (value > greatest) [greatest, cx, cy, cz] = [value, x, y, z];
      }
    }
  }
  // Towards a wall's rim the brightest cell lies outside of the block; it is measured from the block that contains it.
  const isBeside = [cx, cy, cz].some((c, axis) => c < corner[axis] || c >= corner[axis] + blockCells);
  if (isBeside) return Number.NaN;
  const normal = steepest(at, cx, cy, cz);
  const [tx, ty] = tangents(normal);
  const air = airAt(levels, blocks, [i, j, k]);
  const profile = (t: number) => {
    let sum = 0;
    for (let p = -1; p <= 1; p++) {
      for (let q = -1; q <= 1; q++) {
        sum += interpolate(
          at,
          cx + t * normal[0] + p * tx[0] + q * ty[0],
          cy + t * normal[1] + p * tx[1] + q * ty[1],
          cz + t * normal[2] + p * tx[2] + q * ty[2],
        );
      }
    }
    return sum / 9 - air;
  };
  // In the thinnest walls blur leaves no cell with the full contrast, which may then be unknown.
  const contrast = Math.max(levels.materials[0].grey - levels.air, profile(0));
  let total = profile(0) / contrast;
  for (const side of [-1, 1]) {
    let t = lineStep;
    for (; t <= reach; t += lineStep) {
      const share = profile(side * t) / contrast;
      if (share < endShare) break;
      total += share;
    }
    if (t > reach) return Number.NaN;
  }
  // Cutting off both ends loses about a third of a cell in total, for a blur of half a cell to one.
  return total * lineStep + 2 * endShare * lineStep;
}

type Values = (x: number, y: number, z: number) => number;

function steepest(at: Values, cx: number, cy: number, cz: number): Vector3 {
  const tensor = new Float64Array(6);
  const around = 3;
  for (let z = cz - around; z <= cz + around; z++) {
    for (let y = cy - around; y <= cy + around; y++) {
      for (let x = cx - around; x <= cx + around; x++) {
        const gx = at(x + 1, y, z) - at(x - 1, y, z);
        const gy = at(x, y + 1, z) - at(x, y - 1, z);
        const gz = at(x, y, z + 1) - at(x, y, z - 1);
        tensor[0] += gx * gx;
        tensor[1] += gx * gy;
        tensor[2] += gx * gz;
        tensor[3] += gy * gy;
        tensor[4] += gy * gz;
        tensor[5] += gz * gz;
      }
    }
  }
  const [xx, xy, xz, yy, yz, zz] = tensor;
  let [x, y, z] = xx >= yy && xx >= zz ? [xx, xy, xz] : yy >= zz ? [xy, yy, yz] : [xz, yz, zz];
  for (let turn = 0; turn < 24; turn++) {
    const length = Math.hypot(x, y, z) || 1;
    [x, y, z] = [x / length, y / length, z / length];
    [x, y, z] = [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z];
  }
  const length = Math.hypot(x, y, z);
  return length > 0 ? [x / length, y / length, z / length] : [1, 0, 0];
}

function tangents([x, y, z]: Vector3): [Vector3, Vector3] {
  const other: Vector3 = Math.abs(x) < 0.6 ? [1, 0, 0] : [0, 1, 0];
  const u = cross([x, y, z], other);
  const length = Math.hypot(...u);
  const unit = u.map((n) => n / length) as Vector3;
  return [unit, cross([x, y, z], unit)];
}

function interpolate(at: Values, x: number, y: number, z: number): number {
  const [i, j, k] = [Math.floor(x), Math.floor(y), Math.floor(z)];
  const [u, v, w] = [x - i, y - j, z - k];
  const line = (b: number, c: number) => at(i, b, c) + u * (at(i + 1, b, c) - at(i, b, c));
  const low = line(j, k) + v * (line(j + 1, k) - line(j, k));
  const high = line(j, k + 1) + v * (line(j + 1, k + 1) - line(j, k + 1));
  return low + w * (high - low);
}

function airAt({ airPlane }: BlockLevels, { size }: BlockGrid, place: Vector3): number {
  return place.reduce(
    (grey, n, axis) => grey + airPlane.slopes[axis] * (n - (size[axis] - 1) / 2),
    airPlane.middle,
  );
}
