/** Results of an operation, so that a fast wrong result does not win. */

/** Numbers by name, and values at the points of `samplePlaces`. */
export type Figures = Record<string, number | readonly number[]>;

export interface Agreement {
  /** largest relative difference by name; numbers not listed are not compared */
  shares?: Record<string, number>;
  /** samples: largest mean difference, and largest single difference, in their own unit */
  samples?: { mean: number; largest: number };
  /** samples in another unit or with another offset: least correlation with ours */
  correlation?: number;
}

export const sampleCount = 4096;

/** Voxels at which values are compared, none within eight voxels of the border; the peers use the same ones. */
export function* samplePlaces(edge: number): Generator<[x: number, y: number, z: number]> {
  const inner = edge - 16;
  for (let i = 0; i < sampleCount; i++) {
    yield [8 + ((i * 73856093) % inner), 8 + ((i * 19349663) % inner), 8 + ((i * 83492791) % inner)];
  }
}

/** Differences as sentences; empty when the results agree. */
export function disagreements(ours: Figures, theirs: Figures, agreement: Agreement): string[] {
  const found: string[] = [];
  for (const [name, share] of Object.entries(agreement.shares ?? {})) {
    const [a, b] = [Number(ours[name]), Number(theirs[name])];
    if (!(Math.abs(a - b) <= share * Math.abs(b))) found.push(`${name} is ${a}, and ${b} there`);
  }
  const { samples, correlation } = agreement;
  if (!samples && correlation === undefined) return found;
  const [a, b] = [listSamples(ours), listSamples(theirs)];
  if (a.length !== b.length || a.length === 0)
    return [...found, `${a.length} samples, and ${b.length} there`];
  if (samples) {
    const differences = a.map((value, i) => Math.abs(value - b[i]));
    const mean = differences.reduce((sum, value) => sum + value, 0) / a.length;
    const largest = differences.reduce((most, value) => Math.max(most, value), 0);
    // NaN does not count as agreement.
    if (!(mean <= samples.mean && largest <= samples.largest)) {
      found.push(`values differ by ${mean.toPrecision(3)} in the mean and ${largest.toPrecision(3)} at most`);
    }
  }
  if (correlation !== undefined && !(computeCorrelation(a, b) >= correlation)) {
    found.push(`values follow ours with a correlation of ${computeCorrelation(a, b).toFixed(4)} only`);
  }
  return found;
}

const listSamples = ({ samples }: Figures): readonly number[] => (typeof samples === 'object' ? samples : []);

export function computeCorrelation(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [da, db] = [a[i] - meanA, b[i] - meanB];
    ab += da * db;
    aa += da * da;
    bb += db * db;
  }
  return ab / Math.sqrt(aa * bb);
}

/**
 * Volume enclosed by the polygons whose edges lie on cell faces, closed by cones to the cell centres. An edge inside a
 * cell occurs twice, once in each direction, so the triangulation of a polygon makes no difference. Triangulation alone
 * changes the volume of the triangles by 0.04 % at an edge of 64 voxels.
 * @param positions in voxels
 */
export function enclosedVolume(positions: Float32Array, indices: Uint32Array): number {
  let six = 0;
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [3 * indices[t], 3 * indices[t + 1], 3 * indices[t + 2]];
    for (let k = 0; k < 3; k++) {
      const [u, v] = [(k + 1) % 3, (k + 2) % 3];
      const middle = Math.floor((positions[a + k] + positions[b + k] + positions[c + k]) / 3) + 0.5;
      const cross = (p: number, q: number) =>
        positions[p + u] * positions[q + v] - positions[p + v] * positions[q + u];
      six += middle * (cross(a, b) + cross(b, c) + cross(c, a));
    }
  }
  return six / 6;
}
