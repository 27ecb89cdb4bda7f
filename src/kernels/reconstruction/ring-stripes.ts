/** Corrects ring artefacts, which are caused by detector pixels with the same error in all projections. */
import type { Arena } from '../arena.ts';
import { inPieces } from '../pool.ts';
import { defineTask, type OnArena } from '../task.ts';

/** Edge of the windows, and the step between them, in pixels. */
const [windowPixels, windowStep] = [8, 2];
/** Waves below this multiple of the noise level in a window are not structures of the part. */
const structureFrom = 2.7;
/** Minimum pixel error, as a multiple of the noise of the mean and as a line integral; below, nothing is corrected. */
const [minOverNoise, minError] = [1.5, 3e-4];
/** Columns on either side that a column is compared with. */
const lineReach = 3;
/** Maximum number of rows used. */
const maxRows = 200;
/** Tolerance in columns for the mirror position of a line on the other side of the axis. */
const twinReach = 1.5;
/**
 * Minimum height of a line: in deviations of the columns beyond their mirror images, as a share of the largest
 * integral, and as a share of its own height beyond its mirror image.
 */
const [lineDeviations, lineShare, beyondTwin] = [5, 0.004, 0.5];

export interface ScanMeans {
  columns: number;
  rows: number;
  /** line integrals averaged over all angles, plainly and with alternating signs, which leaves only noise */
  mean: Float64Array;
  alternating: Float64Array;
  /** column of the axis, if the projections cover a full turn and the detector is upright; null otherwise */
  axisColumn: number | null;
}

export interface RingStripes {
  /** to be subtracted from the line integrals of every projection */
  stripes: Float32Array;
  /** root mean square of the pixel errors */
  level: number;
}

/**
 * The mean over all angles contains the part, which neighbouring pixels share, and the error of each pixel, which is
 * white. The errors are the components of 8 × 8 pixel windows below 2.7 times their level in all cosine waves (Yu and
 * Sapiro 2011, doi:10.5201/ipol.2011.ys-dct; for stripes as noise of the mean that can be denoised: Mäkinen, Marchesini
 * and Foi 2021, doi:10.1107/S1600577521001910). Changes therefore stay below that level: faces around the axis are
 * kept, which a median along the rows would mistake for stripes. Errors of full columns look like such faces. They are
 * subtracted as far as the other side of the axis doesn't show the same, as everything in the part does over a full
 * turn. O(pixels · 64).
 * @returns null if the pixel errors are within the noise, or there are too few pixels
 */
export async function findRingStripes(means: ScanMeans, arena: Arena): Promise<RingStripes | null> {
  const { columns, rows } = means;
  if (columns < windowPixels || rows < windowPixels) return null;
  const noise = whiteLevel(means.alternating, columns, rows);
  const lines = findLines(means);
  const image = Float32Array.from(means.mean, (value, i) => value - lines[i % columns]);
  const level = whiteLevel(image, columns, rows);
  const isWhite = level > minOverNoise * noise && level > minError;
  if (!isWhite && !lines.some((line) => line !== 0)) return null;
  const stripes = Float32Array.from(image, (_, i) => lines[i % columns]);
  const ofLines = lines.reduce((sum, line) => sum + line ** 2, 0) / columns;
  if (!isWhite) return { stripes, level: Math.sqrt(ofLines) };
  const mark = arena.mark();
  const [source, target] = [0, 0].map(() => arena.allocate(image.byteLength, 'The ring correction'));
  arena.floats(source, image.length).set(image);
  const input = { source, target, columns, rows, least: structureFrom * level };
  const size = Math.max(16, Math.floor(1e5 / columns));
  await inPieces(arena, { from: 0, to: rows, size }, (from, to) =>
    arena.run(takeWhite, { ...input, from, to }),
  );
  const white = arena.floats(target, image.length);
  for (let i = 0; i < stripes.length; i++) stripes[i] += white[i];
  arena.release(mark);
  return { stripes, level: Math.sqrt(level ** 2 - noise ** 2 + ofLines) };
}

/** Median of the absolute value of a standard normal variable. */
const medianOfNormal = 0.6745;

/** Standard deviation of white noise in an image, from second differences in both directions, which suppress edges. */
function whiteLevel(image: ArrayLike<number>, columns: number, rows: number): number {
  const found = new Float32Array((columns - 2) * (rows - 2));
  for (let row = 1, n = 0; row + 1 < rows; row++) {
    const along = (at: number) => image[at - 1] - 2 * image[at] + image[at + 1];
    for (let at = row * columns + 1; at < (row + 1) * columns - 1; at++)
      found[n++] = Math.abs(along(at - columns) - 2 * along(at) + along(at + columns)) / 6;
  }
  return found.sort()[found.length >> 1] / medianOfNormal;
}

/** Error of each column over its full height; 0 if there is none or it can't be distinguished from the part. */
function findLines({ columns, rows, mean, axisColumn }: ScanMeans): Float64Array {
  const lines = new Float64Array(columns);
  if (axisColumn === null) return lines;
  const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1];
  const step = Math.ceil(rows / maxRows);
  /** relative to the mean of two columns at equal distance on either side */
  const own = Array.from(lines, (_, column) => {
    if (column < lineReach || column + lineReach >= columns) return 0;
    const heights = Array.from({ length: Math.ceil(rows / step) }, (__, row) => {
      const at = row * step * columns + column;
      return mean[at] - middle([1, 2, lineReach].map((far) => (mean[at - far] + mean[at + far]) / 2));
    });
    return middle(heights);
  });
  const excess = own.map((height, column) => {
    const twin = 2 * axisColumn - column;
    const [from, to] = [Math.ceil(twin - twinReach), Math.floor(twin + twinReach)];
    if (from < 0 || to >= columns || Math.abs(column - axisColumn) < twinReach) return 0;
    const same = own.slice(from, to + 1).map((other) => other * Math.sign(height));
    return Math.max(0, Math.abs(height) - Math.max(0, ...same));
  });
  const deviation = middle(excess.filter((each) => each > 0)) / medianOfNormal || 0;
  const largest = mean.reduce((most, value) => Math.max(most, value), 0);
  const least = Math.max(lineDeviations * deviation, lineShare * largest);
  for (const [column, height] of own.entries()) {
    if (excess[column] > Math.max(least, beyondTwin * Math.abs(height)))
      lines[column] = excess[column] * Math.sign(height);
  }
  return lines;
}

const cosines = Float64Array.from({ length: windowPixels ** 2 }, (_, i) => {
  const [wave, at] = [Math.floor(i / windowPixels), i % windowPixels];
  return (
    Math.sqrt((wave === 0 ? 1 : 2) / windowPixels) * Math.cos((Math.PI * (at + 0.5) * wave) / windowPixels)
  );
});

interface WhiteInput extends OnArena {
  /** images, f32 */
  source: number;
  target: number;
  columns: number;
  rows: number;
  /** rows to write, from … to−1 */
  from: number;
  to: number;
  /** amplitude from which a wave is kept as structure */
  least: number;
}

/** Subtracts the structures in the windows of an image, which is mirrored beyond its border. */
const takeWhite = defineTask(import.meta.url, 'takeWhite', (_, input: WhiteInput): void => {
  const { columns, rows, from, to, least } = input;
  const { buffer } = input.memory;
  const n = windowPixels;
  const image = new Float32Array(buffer, input.source, columns * rows);
  const target = new Float32Array(buffer, input.target, columns * rows);
  const sums = new Float64Array(columns * (to - from));
  const weights = new Float64Array(columns * (to - from));
  const [values, half, all] = [0, 0, 0].map(() => new Float64Array(n * n));
  const mirror = (at: number, length: number) => (at < 0 ? -1 - at : at < length ? at : 2 * length - 1 - at);
  // Window positions are the same for any range of rows.
  const first = windowStep * Math.ceil((from - n + 1) / windowStep);
  for (let top = first; top < to; top += windowStep) {
    for (let left = windowStep - n; left < columns; left += windowStep) {
      for (let y = 0; y < n; y++) {
        const row = mirror(top + y, rows) * columns;
        for (let x = 0; x < n; x++) values[y * n + x] = image[row + mirror(left + x, columns)];
      }
      multiply(values, half, false);
      multiply(half, all, false);
      let kept = 1;
      for (let wave = 1; wave < n * n; wave++) {
        if (Math.abs(all[wave]) < least) all[wave] = 0;
        else kept++;
      }
      multiply(all, half, true);
      multiply(half, values, true);
      // Windows with less structure have a higher weight, because they are more reliable.
      const weight = 1 / kept;
      for (let y = Math.max(0, from - top); y < Math.min(n, to - top); y++) {
        const row = (top + y - from) * columns + left;
        for (let x = Math.max(0, -left); x < Math.min(n, columns - left); x++) {
          sums[row + x] += weight * values[y * n + x];
          weights[row + x] += weight;
        }
      }
    }
  }
  for (let i = 0; i < sums.length; i++) {
    const at = from * columns + i;
    target[at] = image[at] - sums[i] / weights[i];
  }
});

/** Transforms each row of a window to cosine waves, or back, and transposes it. */
function multiply(from: Float64Array, to: Float64Array, isBack: boolean): void {
  const n = windowPixels;
  const [ofK, ofI] = isBack ? [1, n] : [n, 1];
  for (let row = 0; row < n; row++) {
    for (let k = 0; k < n; k++) {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += from[row * n + i] * cosines[k * ofK + i * ofI];
      to[k * n + row] = sum;
    }
  }
}
