/**
 * Bands: slices brighter or darker than nearby slices, as left by a tube or a line detector that varies from slice to
 * slice.
 */
import type { Vector3 } from '../grid/volume.ts';
import type { DetailSlab } from './detail.ts';

/**
 * Number of material cells required around each cell. With this many, blur at faces adds hardly any difference between
 * the two middle cells of a row.
 */
const shallow = 1;
/**
 * With this many, faces add nothing. Bands keep their height at that depth; what blur leaves at the faces of a part
 * that swells drops by half or more.
 */
const [deep, minDeep] = [3, 0.5];
/** A cell is material when it is within this share of the contrast from the material's level. */
const materialWithin = 0.5;
/** Approximate number of cells sampled per slab along each axis. */
const maxCells = 4e5;
/**
 * Largest number of patches along each axis of a slice, and smallest patch in cells. Correlated noise is alike within a
 * patch.
 */
const maxPatches = 16;
const minPatch = 8;
/** Smallest numbers of patches and cells of material per slice, and of slices. */
const [minPatches, minCells, minSlices] = [4, 24, 6];
/** Distances at which slices are compared with those before and after; bands twice as wide show best. */
const distances = [1, 2, 4, 8, 12];
/**
 * The local median, within this multiple of the distance, is subtracted: it is the part's shape, or a slope that local
 * levels follow.
 */
const [nearTimes, minNear] = [2, 4];
/** Standard errors subtracted from a slice's difference. */
const errors = 6;
/** Quantile of the slices' differences that is reported. */
const counted = 0.8;

/** Differences between neighbouring cells of material along one axis, summed by slice and patch. */
class AxisSums {
  private readonly patchCells: readonly number[];
  private readonly across: number;
  private readonly patches: number;
  private readonly slices: number;
  private readonly counts: Float64Array;
  private readonly sums: Float64Array;

  constructor(slices: number, others: readonly [number, number]) {
    this.slices = slices;
    this.patchCells = others.map((n) => Math.max(minPatch, Math.ceil(n / maxPatches)));
    this.across = Math.ceil(others[0] / this.patchCells[0]);
    this.patches = this.across * Math.ceil(others[1] / this.patchCells[1]);
    this.counts = new Float64Array(slices * this.patches);
    this.sums = new Float64Array(slices * this.patches);
  }

  /** @param step difference between cell u, v of a slice and that of the next slice */
  add(slice: number, u: number, v: number, step: number): void {
    const [du, dv] = this.patchCells;
    const at = slice * this.patches + Math.floor(v / dv) * this.across + Math.floor(u / du);
    this.counts[at]++;
    this.sums[at] += step;
  }

  /**
   * Mean step from a slice to the next, and its variance, which allows for correlation within a patch; NaN when there
   * are too few cells.
   */
  private measureStep(slice: number): { mean: number; variance: number } {
    const from = slice * this.patches;
    let [cells, sum, patches] = [0, 0, 0];
    for (let at = from; at < from + this.patches; at++) {
      cells += this.counts[at];
      sum += this.sums[at];
      if (this.counts[at] > 0) patches++;
    }
    if (patches < minPatches || cells < minCells) return { mean: Number.NaN, variance: Number.NaN };
    const mean = sum / cells;
    let squares = 0;
    for (let at = from; at < from + this.patches; at++)
      squares += (this.sums[at] - mean * this.counts[at]) ** 2;
    return { mean, variance: (squares * patches) / (patches - 1) / cells ** 2 };
  }

  /** Whether the differences between slices vanish in deeper cells, so that they come from faces. */
  isOfFaces(within: AxisSums): boolean {
    let [products, squares] = [0, 0];
    for (let slice = 0; slice < this.slices; slice++) {
      const [all, deeper] = [this.measureStep(slice).mean, within.measureStep(slice).mean];
      if (Number.isNaN(all + deeper)) continue;
      products += all * deeper;
      squares += all * all;
    }
    return products < minDeep * squares;
  }

  /** Height of the bands in grey values; null when too little of the material is visible. */
  height(): number | null {
    const steps = Array.from({ length: this.slices }, (_, slice) => this.measureStep(slice));
    const heights = distances.flatMap((distance) => heightAt(steps, distance) ?? []);
    return heights.length > 0 ? Math.max(...heights) : null;
  }
}

/** Deviation of slices from the mean of those at a distance, for half a period of bands. */
function heightAt(steps: readonly { mean: number; variance: number }[], distance: number): number | null {
  const sum = (from: number, pick: (step: { mean: number; variance: number }) => number) => {
    let total = 0;
    for (let slice = from; slice < from + distance; slice++)
      total += steps[slice] ? pick(steps[slice]) : Number.NaN;
    return total;
  };
  const offs = steps.map(
    (_, slice) => (sum(slice - distance, ({ mean }) => mean) - sum(slice, ({ mean }) => mean)) / 2,
  );
  const reach = Math.max(minNear, nearTimes * distance);
  const heights = offs.flatMap((off, slice) => {
    if (Number.isNaN(off)) return [];
    const near = offs.slice(Math.max(0, slice - reach), slice + reach + 1).filter(Number.isFinite);
    const middle = near.sort((a, b) => a - b)[near.length >> 1];
    const variance = sum(slice - distance, (step) => step.variance) + sum(slice, (step) => step.variance);
    return [Math.max(0, Math.abs(off - middle) - (errors / 2) * Math.sqrt(variance))];
  });
  if (heights.length < minSlices) return null;
  return heights.sort((a, b) => a - b)[Math.floor(counted * heights.length)] / 2;
}

/** Slices across each axis, since the axis of rotation is unknown. */
export class BandSums {
  private readonly depths: readonly { depth: number; axes: readonly AxisSums[] }[];

  constructor([nx, ny, nz]: Readonly<Vector3>) {
    this.depths = [shallow, deep].map((depth) => ({
      depth,
      axes: [new AxisSums(nx, [ny, nz]), new AxisSums(ny, [nx, nz]), new AxisSums(nz, [nx, ny])],
    }));
  }

  /** Adds the material of a slab. O(1): rows are skipped in a large one. */
  add(slab: DetailSlab): void {
    for (const { depth, axes } of this.depths)
      for (const [axis, sums] of axes.entries()) addRows(slab, axis, depth, sums);
  }

  /**
   * The axis with the strongest bands and their height in grey values, minus the height across the second strongest
   * axis: lattice cells and rings show across two axes. Null when too little of the material is visible.
   */
  get strongest(): { axis: number; height: number } | null {
    const [all, within] = this.depths.map(({ axes }) => axes);
    const heights = all.map((sums, axis) => {
      const height = sums.height();
      return height !== null && sums.isOfFaces(within[axis]) ? 0 : height;
    });
    const [next = 0, most = 0] = heights
      .map((height) => height ?? 0)
      .sort((a, b) => a - b)
      .slice(1);
    if (heights.every((height) => height === null)) return null;
    return { axis: heights.indexOf(most), height: most - next };
  }
}

/** Adds the steps along one axis between cells of material in a row that have material beside them. */
function addRows(
  { values, dimensions: [nx, ny], first, planes, levels }: DetailSlab,
  axis: number,
  depth: number,
  sums: AxisSums,
): void {
  const size = [nx, ny, planes];
  const strides = [1, nx, nx * ny];
  const [u, v] = [0, 1, 2].filter((other) => other !== axis);
  const every = Math.max(1, Math.ceil(Math.sqrt((nx * ny * planes) / maxCells)));
  const [{ grey }] = levels.materials;
  const within = materialWithin * (grey - levels.air);
  const isMaterial = (at: number) => Math.abs(values[at] - grey) < within;
  const [besideU, besideV] = [strides[u], strides[v]];
  /** whether there is material on both sides of a cell, perpendicular to the row */
  const isBetween = (at: number) => {
    for (let n = 1; n <= depth; n++) {
      if (!isMaterial(at - n * besideU) || !isMaterial(at + n * besideU)) return false;
      if (!isMaterial(at - n * besideV) || !isMaterial(at + n * besideV)) return false;
    }
    return true;
  };
  const stride = strides[axis];
  const [sliceFrom, vFrom] = [axis === 2 ? first : 0, axis === 2 ? 0 : first];
  for (let j = depth; j + depth < size[v]; j += every) {
    for (let i = depth; i + depth < size[u]; i += every) {
      let at = i * strides[u] + j * strides[v];
      let wasDeep = false;
      for (let n = 0, row = 0; n < size[axis]; n++, at += stride) {
        row = isMaterial(at) ? row + 1 : 0;
        // The same number of material cells before and after it as beside it.
        const middle = at - depth * stride;
        const isDeep = row > 2 * depth && isBetween(middle);
        if (isDeep && wasDeep)
          sums.add(sliceFrom + n - depth - 1, i, vFrom + j, values[middle] - values[middle - stride]);
        wasDeep = isDeep;
      }
    }
  }
}
