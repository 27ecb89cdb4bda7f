/** Converts detector counts to line integrals of attenuation. */
import type { VoxelArray } from '../grid/volume.ts';

export interface Correction {
  /** counts are corrected and converted to line integrals; line integrals are left unchanged */
  values: 'counts' | 'lineIntegrals';
  /** of each pixel, in the detector's own order */
  dark: Float32Array;
  /** 1 / (flat − dark); 0 for a dead pixel */
  gain: Float32Array;
  /** scatter in each pixel, as a share of the free beam */
  scatterShare: number;
}

/** Lower limit of the transmission; smaller shares are indistinguishable from zero. */
const faintest = 1e-5;

/**
 * Line integrals (−ln of the transmission) of `count` pixels from `first` on. Dead pixels and NaN are interpolated from
 * their neighbours in the row.
 *
 * @param columns pixels per row; `count` is a multiple of it
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
  if (broken)
    for (let row = 0; row < count; row += columns) interpolateBroken(out.subarray(row, row + columns));
}

/** Interpolates NaN linearly between its neighbours; 0 if the whole row is NaN. */
function interpolateBroken(row: Float32Array): void {
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
 * Estimates the unattenuated counts if they were not recorded: the median of the detector's border columns, on the
 * brighter of the two sides, over a few projections.
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
