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
  /** by axis, of cells at least `shallow` and at least `deep` in material */
  private readonly depths: readonly (readonly AxisSums[])[];

  constructor([nx, ny, nz]: Readonly<Vector3>) {
    this.depths = [shallow, deep].map(() => [
      new AxisSums(nx, [ny, nz]),
      new AxisSums(ny, [nx, nz]),
      new AxisSums(nz, [nx, ny]),
    ]);
  }

  /** Adds the material of a slab. O(1): rows are skipped in a large one. */
  add(slab: DetailSlab): void {
    const depths = new CellDepths(slab);
    for (const axis of [0, 1, 2])
      addRows(
        slab,
        depths,
        axis,
        this.depths.map((axes) => axes[axis]),
      );
  }

  /**
   * The axis with the strongest bands and their height in grey values, minus the height across the second strongest
   * axis: lattice cells and rings show across two axes. Null when too little of the material is visible.
   */
  get strongest(): { axis: number; height: number } | null {
    const [all, within] = this.depths;
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

/** Reads how deep cells lie in material: a cell's arms along all axes, up to `deep` cells, are material. */
class CellDepths {
  private readonly slab: DetailSlab;
  private readonly grey: number;
  private readonly within: number;
  /** depth + 1 of each cell read so far: rows along three axes meet in it */
  private readonly known: Uint8Array;

  constructor(slab: DetailSlab) {
    const [{ grey }] = slab.levels.materials;
    const [nx, ny] = slab.dimensions;
    this.slab = slab;
    this.grey = grey;
    this.within = materialWithin * (grey - slab.levels.air);
    this.known = new Uint8Array(nx * ny * slab.planes);
  }

  /** @param most the largest depth that stays within the slab */
  at(cell: number, most: number): number {
    if (this.known[cell] === 0) this.known[cell] = 1 + this.measure(cell, most);
    return this.known[cell] - 1;
  }

  private measure(cell: number, most: number): number {
    const { values, dimensions } = this.slab;
    const { grey, within } = this;
    const nx = dimensions[0];
    const plane = nx * dimensions[1];
    if (!(Math.abs(values[cell] - grey) < within)) return 0;
    for (let n = 1; n <= most; n++) {
      if (
        !(
          Math.abs(values[cell - n] - grey) < within &&
          Math.abs(values[cell + n] - grey) < within &&
          Math.abs(values[cell - n * nx] - grey) < within &&
          Math.abs(values[cell + n * nx] - grey) < within &&
          Math.abs(values[cell - n * plane] - grey) < within &&
          Math.abs(values[cell + n * plane] - grey) < within
        )
      )
        return n - 1;
    }
    return most;
  }
}

/** Adds the steps along one axis between cells that lie deep enough in material. @param sums by depth */
function addRows(slab: DetailSlab, depths: CellDepths, axis: number, sums: readonly AxisSums[]): void {
  const { values, dimensions, first, planes } = slab;
  const [nx, ny] = dimensions;
  const size = [nx, ny, planes];
  const strides = [1, nx, nx * ny];
  const [u, v] = [0, 1, 2].filter((other) => other !== axis);
  const every = Math.max(1, Math.ceil(Math.sqrt((nx * ny * planes) / maxCells)));
  const stride = strides[axis];
  const [sliceFrom, vFrom] = [axis === 2 ? first : 0, axis === 2 ? 0 : first];
  for (let j = shallow; j + shallow < size[v]; j += every) {
    for (let i = shallow; i + shallow < size[u]; i += every) {
      const most = Math.min(deep, i, j, size[u] - 1 - i, size[v] - 1 - j);
      const row = i * strides[u] + j * strides[v];
      let before = 0;
      for (let n = 1; n + 1 < size[axis]; n++) {
        const at = row + n * stride;
        const depth = depths.at(at, Math.min(most, n, size[axis] - 1 - n));
        const both = Math.min(depth, before);
        if (both >= shallow) {
          const step = values[at] - values[at - stride];
          sums[0].add(sliceFrom + n - 1, i, vFrom + j, step);
          if (both >= deep) sums[1].add(sliceFrom + n - 1, i, vFrom + j, step);
        }
        before = depth;
      }
    }
  }
}
