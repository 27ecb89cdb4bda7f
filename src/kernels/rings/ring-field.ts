/** The rings of a scan: height at each radius about the axis, by angular sector and group of planes. */
import type { DeepPlanes } from './deep-means.ts';

/** Heights are stored per half cell of radius and per sector. */
const binsPerCell = 2;
export const sectors = 8;
/** Lines from the axis outward along which levels are followed, and half width of the line fit, in bins. */
const lines = 256;
const levelReach = 8 * binsPerCell;
const minPerLine = 12;
/** Window in bins of radius whose median height is the part's own and not a ring. */
const slowReach = 8 * binsPerCell;
/** Smallest number of columns of cells per height. */
const minPerBin = 24;
/** Heights must exceed this many standard errors and this share of the contrast. */
const [minErrors, minShare] = [4, 0.004];
/** Larger differences, as a share of the contrast, are not rings. */
const outlierShare = 0.4;
/** The residual is evaluated repeatedly, because rings affect the levels they are compared with. */
const rounds = 3;
/** One or two rings may belong to the part. */
const minRings = 3;

export interface RingField {
  /** centre of the rings, in cells */
  axis: [number, number];
  /** first plane of each group, and the end of the last */
  planes: number[];
  bins: number;
  /** heights of rings above their surroundings: group, sector, bin */
  heights: Float32Array;
}

/** @returns radius in bins, and sector, of each column of cells */
export function mapColumns([cx, cy]: readonly [number, number], nx: number, ny: number) {
  const radius = new Float32Array(nx * ny);
  const sector = new Uint8Array(nx * ny);
  for (let y = 0, at = 0; y < ny; y++) {
    for (let x = 0; x < nx; x++, at++) {
      const [dx, dy] = [x - cx, y - cy];
      radius[at] = binsPerCell * Math.sqrt(dx * dx + dy * dy);
      sector[at] = Math.floor((sectors * (Math.atan2(dy, dx) + Math.PI)) / (2 * Math.PI)) % sectors;
    }
  }
  return { radius, sector };
}

/**
 * Finds rings through all or some planes, complete or in sectors. Each place is compared with a straight line along its
 * own radius, so that rising levels and faces around the axis make no rings; only places deep in the material and only
 * fine structure count. O(cells of a plane × groups).
 * @returns null when there are fewer than three rings
 */
export function findRingField(
  groups: readonly DeepPlanes[],
  axis: [number, number],
  nx: number,
  ny: number,
  contrast: number,
): RingField | null {
  const { radius, sector } = mapColumns(axis, nx, ny);
  const lineNumbers = Uint8Array.from(radius, (_, at) => {
    const [dx, dy] = [(at % nx) - axis[0], Math.floor(at / nx) - axis[1]];
    return Math.round((lines * (Math.atan2(dy, dx) + Math.PI)) / (2 * Math.PI)) % lines;
  });
  const bins = Math.ceil(radius.reduce((most, r) => Math.max(most, r), 0)) + 2;
  const heights = new Float32Array(groups.length * sectors * bins);
  const left = groups.map(({ means }) => means.slice());
  const shape: Shape = { axis, nx, ny, bins, radius, sector, lineNumbers, contrast };
  for (let round = 0; round < rounds; round++) {
    for (const isOfSector of [false, true]) {
      for (const isOfGroup of [false, true]) {
        // A single sector of a single group has too few places.
        if (isOfSector && isOfGroup) continue;
        const all = left.map((means, g) => sumResiduals(shape, means, groups[g].counts, isOfSector));
        const seen = isOfGroup ? all : [all.reduce(addSums)];
        for (const [s, sums] of seen.entries()) {
          const found = readProfiles(shape, sums, isOfSector ? sectors : 1);
          for (let g = 0; g < groups.length; g++) {
            if (isOfGroup && g !== s) continue;
            for (let k = 0; k < sectors; k++) {
              const own = found.subarray((isOfSector ? k : 0) * bins, ((isOfSector ? k : 0) + 1) * bins);
              for (let b = 0; b < bins; b++) heights[(g * sectors + k) * bins + b] += own[b];
            }
            takeOff(shape, left[g], found, isOfSector);
          }
        }
      }
    }
  }
  if (countRings(heights, bins) < minRings) return null;
  return { axis, planes: [...groups.map(({ from }) => from), groups[groups.length - 1].to], bins, heights };
}

interface Shape {
  axis: [number, number];
  nx: number;
  ny: number;
  bins: number;
  radius: Float32Array;
  sector: Uint8Array;
  lineNumbers: Uint8Array;
  contrast: number;
}

/** Residuals by sector and bin: count, sum, and sum of squares. */
interface Sums {
  counts: Float64Array;
  sums: Float64Array;
  squares: Float64Array;
}

function addSums(a: Sums, b: Sums): Sums {
  const add = (p: Float64Array, q: Float64Array) => p.map((value, i) => value + q[i]);
  return {
    counts: add(a.counts, b.counts),
    sums: add(a.sums, b.sums),
    squares: add(a.squares, b.squares),
  };
}

function sumResiduals(shape: Shape, means: Float32Array, weights: Uint16Array, isOfSector: boolean): Sums {
  const { bins, radius, sector, lineNumbers, contrast } = shape;
  const levels = followLevels(shape, means);
  const length = (isOfSector ? sectors : 1) * bins;
  const [counts, sums, squares] = [0, 0, 0].map(() => new Float64Array(length));
  for (let at = 0; at < means.length; at++) {
    if (weights[at] === 0) continue;
    const line = lineNumbers[at];
    const bin = Math.floor(radius[at]);
    const share = radius[at] - bin;
    const level = (1 - share) * levels[line * bins + bin] + share * levels[line * bins + bin + 1];
    const residual = means[at] - level;
    if (!(Math.abs(residual) < outlierShare * contrast)) continue;
    const base = (isOfSector ? sector[at] : 0) * bins + bin;
    for (const [k, part] of [1 - share, share].entries()) {
      counts[base + k] += part;
      sums[base + k] += part * residual;
      squares[base + k] += part * residual * residual;
    }
  }
  return { counts, sums, squares };
}

/**
 * Local line fits through deep places along each line from the axis, at each of its bins; NaN where there are too few.
 */
function followLevels({ axis, nx, ny, bins }: Shape, means: Float32Array): Float32Array {
  const levels = new Float32Array(lines * bins);
  const values = new Float64Array(bins);
  for (let line = 0; line < lines; line++) {
    const angle = (2 * Math.PI * line) / lines - Math.PI;
    const [ux, uy] = [Math.cos(angle) / binsPerCell, Math.sin(angle) / binsPerCell];
    for (let b = 0; b < bins; b++) {
      const [x, y] = [Math.round(axis[0] + b * ux), Math.round(axis[1] + b * uy)];
      values[b] = x >= 0 && y >= 0 && x < nx && y < ny ? means[y * nx + x] : Number.NaN;
    }
    // Over a moving window: count, positions, their squares, values, and products.
    let [n, p, pp, v, pv] = [0, 0, 0, 0, 0];
    const put = (b: number, sign: number) => {
      if (b < 0 || b >= bins) return;
      const value = values[b];
      if (Number.isNaN(value)) return;
      n += sign;
      p += sign * b;
      pp += sign * b * b;
      v += sign * value;
      pv += sign * b * value;
    };
    for (let b = 0; b < levelReach; b++) put(b, 1);
    for (let b = 0; b < bins; b++) {
      put(b + levelReach, 1);
      put(b - levelReach - 1, -1);
      const spread = n * pp - p * p;
      const slope = spread > 1e-6 ? (n * pv - p * v) / spread : 0;
      levels[line * bins + b] = n < minPerLine ? Number.NaN : v / n + slope * (b - p / n);
    }
  }
  return levels;
}

/** Heights of rings by sector and bin; 0 where they are within chance and the part's own structure. */
function readProfiles(
  { bins, contrast }: Shape,
  { counts, sums, squares }: Sums,
  count: number,
): Float32Array {
  const heights = new Float32Array(count * bins);
  const near: number[] = [];
  for (let s = 0; s < count; s++) {
    const means = Array.from({ length: bins }, (_, b) => {
      const at = s * bins + b;
      return counts[at] < minPerBin ? Number.NaN : sums[at] / counts[at];
    });
    for (let b = 0; b < bins; b++) {
      const [mean, at] = [means[b], s * bins + b];
      if (Number.isNaN(mean)) continue;
      near.length = 0;
      for (let k = Math.max(0, b - slowReach); k <= Math.min(bins - 1, b + slowReach); k++)
        if (!Number.isNaN(means[k])) near.push(means[k]);
      const height = mean - near.sort((p, q) => p - q)[near.length >> 1];
      const error = Math.sqrt(Math.max(0, squares[at] / counts[at] - mean * mean) / counts[at]);
      if (Math.abs(height) > Math.max(minErrors * error, minShare * contrast)) heights[at] = height;
    }
  }
  return heights;
}

function takeOff(
  { bins, radius, sector }: Shape,
  means: Float32Array,
  heights: Float32Array,
  isOfSector: boolean,
): void {
  for (let at = 0; at < means.length; at++) {
    const bin = Math.floor(radius[at]);
    const share = radius[at] - bin;
    const base = (isOfSector ? sector[at] : 0) * bins + bin;
    means[at] -= (1 - share) * heights[base] + share * heights[base + 1];
  }
}

/** Number of bright and dark rings in the sector and group that have most. */
function countRings(heights: Float32Array, bins: number): number {
  let most = 0;
  for (let base = 0; base < heights.length; base += bins) {
    let count = 0;
    for (let b = base + 1; b < base + bins; b++)
      if (heights[b] !== 0 && Math.sign(heights[b]) !== Math.sign(heights[b - 1])) count++;
    most = Math.max(most, count);
  }
  return most;
}
