import { type GreyPeaks, greyPeaks, type Histogram, otsuLevel } from '../grid/histogram.ts';
import { KernelError } from '../kernel-error.ts';

export interface SurfaceChoice {
  mode: 'iso50' | 'otsu' | 'value';
  value?: number;
}
export interface SurfaceLevel {
  /** grey value of the surface; above is material */
  isoValue: number;
  /** what a missing value (NaN) is taken for */
  air: number;
  peaks: GreyPeaks | null;
  /**
   * where the material's grey value is from: places deep in the part, the profiles of its walls where it has none such, or
   * neither, and then it is a guess; undefined where it was not looked for
   */
  toldBy?: 'depth' | 'walls' | 'nothing';
  /** of walls, and of few places deep in the part: standard deviation of the material's height above air, as a share of it */
  contrastWithin?: number;
  /** standard deviation of the edges that these walls show, in voxels */
  blurVoxels?: number;
}

/**
 * The grey value at which the surface runs.
 * @throws KernelError NO_SURFACE for a volume of one grey value, or a level outside of its values
 */
export function surfaceLevel(
  histogram: Histogram,
  range: [number, number],
  choice: SurfaceChoice,
): SurfaceLevel {
  const peaks = greyPeaks(histogram);
  const air = peaks?.air ?? range[0];
  if (!(range[0] < range[1])) {
    throw new KernelError('NO_SURFACE', `No surface: every voxel has the grey value ${range[0]}.`);
  }
  if (choice.mode === 'value') {
    const { value } = choice;
    if (value === undefined || !Number.isFinite(value)) {
      throw new KernelError('BAD_INPUT', 'The mode “value” needs a grey value.');
    }
    if (value < range[0] || value >= range[1]) {
      throw new KernelError(
        'NO_SURFACE',
        `No surface: the level ${value} lies outside of the grey values ${range[0]} … ${range[1]}.`,
      );
    }
    return { isoValue: value, air, peaks };
  }
  const isoValue = choice.mode === 'otsu' ? otsuLevel(histogram) : peaks?.iso50;
  if (isoValue === null || isoValue === undefined) {
    throw new KernelError(
      'NO_SURFACE',
      'No surface: the grey values do not part into air and material; give a grey value.',
    );
  }
  return { isoValue, air, peaks };
}
