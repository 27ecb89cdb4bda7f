/** From what a detector counted to what the rays passed through. */
import type { VoxelArray } from '../grid/volume.ts';

export interface Correction {
  /** counts are corrected and turned into line integrals; values that are line integrals already stay as they are */
  values: 'counts' | 'lineIntegrals';
  /** of each pixel, in the detector's own order */
  dark: Float32Array;
  /** 1 / (flat − dark); 0 for a dead pixel */
  gain: Float32Array;
  /** what comes to each pixel from elsewhere, as a share of the free beam */
  scatterShare: number;
}

/** Less than this share of the free beam is not told apart from nothing. */
const faintest = 1e-5;

/**
 * Line integrals (−ln of the share that came through) of `count` pixels from `first` on. Dead pixels and values that are
 * no numbers take the mean of their neighbours in the row.
 *
 * @param columns pixels of a row; `count` is a multiple of it
 */
export function lineIntegrals(
  raw: VoxelArray,
  first: number,
  count: number,
  columns: number,
  { values, dark, gain, scatterShare }: Correction,
  out: Float32Array,
): void {
  let broken = false;
  for (let i = 0; i < count; i++) {
    const value = raw[first + i];
    let integral: number;
    if (values === 'lineIntegrals' && scatterShare === 0) integral = value;
    else if (gain[first + i] === 0) integral = Number.NaN;
    else {
      const measured =
        values === 'lineIntegrals' ? Math.exp(-value) : (value - dark[first + i]) * gain[first + i];
      const share = measured - scatterShare;
      integral = share > faintest ? -Math.log(share) : share <= faintest ? -Math.log(faintest) : Number.NaN;
    }
    if (!(Math.abs(integral) < Infinity)) broken = true;
    out[i] = integral;
  }
  if (broken) for (let row = 0; row < count; row += columns) mend(out.subarray(row, row + columns));
}

/** Replaces what is no number by the line between its neighbours; 0 where a whole row is none. */
function mend(row: Float32Array): void {
  let before = -1;
  for (let i = 0; i <= row.length; i++) {
    if (i < row.length && !(Math.abs(row[i]) < Infinity)) continue;
    if (i - before > 1) {
      const left = before >= 0 ? row[before] : i < row.length ? row[i] : 0;
      const right = i < row.length ? row[i] : left;
      for (let k = before + 1; k < i; k++) row[k] = left + ((right - left) * (k - before)) / (i - before);
    }
    before = i;
  }
}

/**
 * Counts behind nothing where nobody recorded them: the brighter of the two borders of the detector, each as its median,
 * over a few projections.
 */
export function freeBeamLevel(projections: VoxelArray, columns: number): number {
  const border = Math.max(1, Math.round(columns * 0.03));
  const level = (from: number) => {
    const values: number[] = [];
    for (let row = 0; row < projections.length; row += columns) {
      for (let c = from; c < from + border; c++) values.push(projections[row + c]);
    }
    return values.filter(Number.isFinite).sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 1;
  };
  return Math.max(level(0), level(columns - border));
}
