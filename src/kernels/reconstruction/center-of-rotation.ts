/** Finds the column of the axis of rotation on the detector from the radiographs. */

export interface FoundCenter {
  column: number;
  /** minimum difference between the two sides, relative to their sum of squares; 0 = mirror images */
  mismatch: number;
  /** expanded (k = 2), columns; infinite if any centre fits equally well */
  uncertainty: number;
}

/** Search range on either side of the detector's middle, as a share of its width. */
const reach = 0.25;
/** Rows are summed into this many bands, for less noise and less computing time. */
const bandCount = 48;
/** Lower limit of the uncertainty, in columns; from scans with a known centre. */
const finest = 0.1;

/**
 * For a full turn. Averaged over all angles, both sides of the axis see the same: rays at the same distance on either
 * side are tangent to the same circle (for a cone beam, they generate the same hyperboloid). Finds the column about
 * which the mean projection is its own mirror image, by least squares, to better than a tenth of a pixel.
 *
 * @param mean over the angles, columns fastest
 */
export function symmetryCenter(mean: Float64Array, columns: number, rows: number): FoundCenter {
  const bands = banded(mean, columns, rows);
  const middle = (columns - 1) / 2;
  const span = Math.max(2, reach * columns);
  const cost = (column: number) => mirrorCost(bands, columns, column);
  let best = { column: middle, mismatch: Infinity };
  for (let step = 0; step <= 2 * span; step++) {
    const column = middle - span + step;
    const mismatch = cost(column);
    if (mismatch < best.mismatch) best = { column, mismatch };
  }
  const { column, mismatch } = refined(cost, best, 1);
  const bend = (cost(column - 1) + cost(column + 1)) / 2 - mismatch;
  // The residual of a band counts as one observation, because it is correlated along the band.
  const spread = bend > 0 ? Math.sqrt(mismatch / bend / bands.length) : Infinity;
  return { column, mismatch, uncertainty: Math.hypot(finest, 2 * spread) };
}

function banded(mean: Float64Array, columns: number, rows: number): Float64Array[] {
  const count = Math.min(bandCount, rows);
  return Array.from({ length: count }, (_, band) => {
    const sum = new Float64Array(columns);
    const [from, to] = [Math.floor((band * rows) / count), Math.floor(((band + 1) * rows) / count)];
    for (let row = from; row < to; row++) {
      for (let c = 0; c < columns; c++) sum[c] += mean[row * columns + c];
    }
    return sum;
  });
}

function mirrorCost(bands: Float64Array[], columns: number, column: number): number {
  const width = Math.floor(Math.min(column, columns - 1 - column) - 1e-9);
  let difference = 0;
  let weight = 0;
  // Both sides are interpolated with the same two weights, mirrored, so that they are equally smooth.
  const share = column - Math.floor(column);
  const base = Math.floor(column);
  for (const band of bands) {
    for (let t = 0; t < width; t++) {
      const right = band[base + t] * (1 - share) + (band[base + t + 1] ?? 0) * share;
      const left = band[base - t] * (1 - share) + (band[base - t + 1] ?? 0) * share;
      difference += (right - left) ** 2;
      weight += right * right + left * left;
    }
  }
  return weight > 0 ? difference / weight : 0;
}

/** Minimum of a smooth cost around `start`, by golden-section search. */
function refined(
  cost: (column: number) => number,
  start: { column: number },
  width: number,
): { column: number; mismatch: number } {
  const golden = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [start.column - width, start.column + width];
  let [a, b] = [high - golden * (high - low), low + golden * (high - low)];
  let [costA, costB] = [cost(a), cost(b)];
  while (high - low > 1e-3) {
    if (costA < costB) {
      [high, b, costB] = [b, a, costA];
      a = high - golden * (high - low);
      costA = cost(a);
    } else {
      [low, a, costA] = [a, b, costB];
      b = low + golden * (high - low);
      costB = cost(b);
    }
  }
  const column = (low + high) / 2;
  return { column, mismatch: cost(column) };
}

/**
 * Intersection of two straight lines along which a cost falls and rises, by least squares over points that exclude the
 * rounded bottom.
 * @param before offsets and costs on the falling side @param after on the rising one
 * @returns the intersection and an expanded uncertainty from the residuals of the lines; undefined if they do not
 * intersect
 */
export function crossing(
  before: [number, number][],
  after: [number, number][],
): { offset: number; uncertainty: number } | undefined {
  const line = (points: [number, number][]) => {
    const n = points.length;
    const x = points.reduce((sum, [at]) => sum + at, 0) / n;
    const y = points.reduce((sum, [, value]) => sum + value, 0) / n;
    const slope =
      points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) /
      points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
    const start = y - slope * x;
    const beside = points.reduce((sum, [at, value]) => sum + (value - start - slope * at) ** 2, 0) / n;
    return { slope, start, beside };
  };
  const [down, up] = [line(before), line(after)];
  if (!(down.slope < 0 && up.slope > 0)) return undefined;
  return {
    offset: (down.start - up.start) / (up.slope - down.slope),
    uncertainty: Math.hypot(finest, (4 * Math.sqrt((down.beside + up.beside) / 2)) / (up.slope - down.slope)),
  };
}
