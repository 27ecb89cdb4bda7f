/** Slices that are brighter or darker than those near them, as a tube or a line detector that changes from one to the next leaves them. */
import type { Vector3 } from '../grid/volume.ts';
import type { DetailSlab } from './detail.ts';

/** Cells of material all around those that are looked at: the two in the middle of such a row hardly differ by what an edge adds. */
const shallow = 1;
/**
 * Where so many lie around them, no edge adds anything: bands are as high there, and what blur leaves at the faces of a part that
 * swells is lost by half and more.
 */
const [deep, leastDeep] = [3, 0.5];
/** A cell is material that lies within this share of the contrast from its level. */
const materialWithin = 0.5;
/** Cells of a slab that are looked at along each axis, about. */
const mostCells = 4e5;
/** Patches of a slice along each of its axes at most, and cells along one at least: noise with a grain is alike within them. */
const mostPatches = 16;
const leastPatch = 8;
/** Patches of the material at least, its cells, and slices that are looked at. */
const [fewestPatches, fewestCells, fewestSlices] = [4, 24, 6];
/** Slices are held against those so far before and behind them: bands of twice as many show best. */
const distances = [1, 2, 4, 8, 12];
/** What all slices near one differ by, so many times as far, is the part's shape, or a slope that local levels follow. */
const [nearTimes, leastNear] = [2, 4];
/** Standard errors that are taken off what a slice differs by. */
const errors = 6;
/** Of the slices, so many differ by less than what counts. */
const counted = 0.8;

/** By how much cells of material differ from the next ones along one axis, summed by slices and patches. */
class AxisSums {
  private readonly patchCells: readonly number[];
  private readonly across: number;
  private readonly patches: number;
  private readonly slices: number;
  private readonly counts: Float64Array;
  private readonly sums: Float64Array;

  constructor(slices: number, others: readonly [number, number]) {
    this.slices = slices;
    this.patchCells = others.map((n) => Math.max(leastPatch, Math.ceil(n / mostPatches)));
    this.across = Math.ceil(others[0] / this.patchCells[0]);
    this.patches = this.across * Math.ceil(others[1] / this.patchCells[1]);
    this.counts = new Float64Array(slices * this.patches);
    this.sums = new Float64Array(slices * this.patches);
  }

  /** @param step from the cell u, v of a slice to that of the next */
  add(slice: number, u: number, v: number, step: number): void {
    const [du, dv] = this.patchCells;
    const at = slice * this.patches + Math.floor(v / dv) * this.across + Math.floor(u / du);
    this.counts[at]++;
    this.sums[at] += step;
  }

  /** From a slice to the next the mean and its variance, which holds that cells of a patch are alike; NaN where it has too few. */
  private stepOf(slice: number): { mean: number; variance: number } {
    const from = slice * this.patches;
    let [cells, sum, patches] = [0, 0, 0];
    for (let at = from; at < from + this.patches; at++) {
      cells += this.counts[at];
      sum += this.sums[at];
      if (this.counts[at] > 0) patches++;
    }
    if (patches < fewestPatches || cells < fewestCells) return { mean: Number.NaN, variance: Number.NaN };
    const mean = sum / cells;
    let squares = 0;
    for (let at = from; at < from + this.patches; at++)
      squares += (this.sums[at] - mean * this.counts[at]) ** 2;
    return { mean, variance: (squares * patches) / (patches - 1) / cells ** 2 };
  }

  /** Whether what its slices differ by is lost in cells that lie deeper. */
  isOfFaces(within: AxisSums): boolean {
    let [products, squares] = [0, 0];
    for (let slice = 0; slice < this.slices; slice++) {
      const [all, deeper] = [this.stepOf(slice).mean, within.stepOf(slice).mean];
      if (Number.isNaN(all + deeper)) continue;
      products += all * deeper;
      squares += all * all;
    }
    return products < leastDeep * squares;
  }

  /** In grey values; null where too little of the material was seen. */
  height(): number | null {
    const steps = Array.from({ length: this.slices }, (_, slice) => this.stepOf(slice));
    const heights = distances.flatMap((distance) => heightAt(steps, distance) ?? []);
    return heights.length > 0 ? Math.max(...heights) : null;
  }
}

/** How far slices lie off the mean of those at a distance, as half a wave of bands does. */
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
  const reach = Math.max(leastNear, nearTimes * distance);
  const heights = offs.flatMap((off, slice) => {
    if (Number.isNaN(off)) return [];
    const near = offs.slice(Math.max(0, slice - reach), slice + reach + 1).filter(Number.isFinite);
    const middle = near.sort((a, b) => a - b)[near.length >> 1];
    const variance = sum(slice - distance, (step) => step.variance) + sum(slice, (step) => step.variance);
    return [Math.max(0, Math.abs(off - middle) - (errors / 2) * Math.sqrt(variance))];
  });
  if (heights.length < fewestSlices) return null;
  return heights.sort((a, b) => a - b)[Math.floor(counted * heights.length)] / 2;
}

/** Slices across each axis: which one the scan turned about isn't known. */
export class BandSums {
  private readonly depths: readonly { depth: number; axes: readonly AxisSums[] }[];

  constructor([nx, ny, nz]: Readonly<Vector3>) {
    this.depths = [shallow, deep].map((depth) => ({
      depth,
      axes: [new AxisSums(nx, [ny, nz]), new AxisSums(ny, [nx, nz]), new AxisSums(nz, [nx, ny])],
    }));
  }

  /** Adds the material of a slab. O(1): of a large one rows are left out. */
  add(slab: DetailSlab): void {
    for (const { depth, axes } of this.depths)
      for (const [axis, sums] of axes.entries()) addRows(slab, axis, depth, sums);
  }

  /**
   * Of the axis across which slices differ most, in grey values, beyond what they do across another: cells of a lattice, and
   * rings, show across two. Null where too little of the material was seen.
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

/** Along one axis: steps between cells of material that lie in a row of it and have material beside them. */
function addRows(
  { values, dimensions: [nx, ny], first, planes, levels }: DetailSlab,
  axis: number,
  depth: number,
  sums: AxisSums,
): void {
  const size = [nx, ny, planes];
  const strides = [1, nx, nx * ny];
  const [u, v] = [0, 1, 2].filter((other) => other !== axis);
  const every = Math.max(1, Math.ceil(Math.sqrt((nx * ny * planes) / mostCells)));
  const [{ grey }] = levels.materials;
  const within = materialWithin * (grey - levels.air);
  const isMaterial = (at: number) => Math.abs(values[at] - grey) < within;
  const [besideU, besideV] = [strides[u], strides[v]];
  /** whether material lies around a cell, across the row */
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
        // As many cells of material before it and behind it as around it.
        const middle = at - depth * stride;
        const isDeep = row > 2 * depth && isBetween(middle);
        if (isDeep && wasDeep)
          sums.add(sliceFrom + n - depth - 1, i, vFrom + j, values[middle] - values[middle - stride]);
        wasDeep = isDeep;
      }
    }
  }
}
