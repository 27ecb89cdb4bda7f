import { type GreyPeaks, greyPeaks, type Histogram, otsuLevel } from '../grid/histogram.ts';
import { KernelError } from '../kernel-error.ts';

export interface SurfaceChoice {
  mode: 'iso50' | 'otsu' | 'value';
  value?: number;
}
export interface SurfaceLevel {
  /** grey value of the surface; material is above */
  isoValue: number;
  /** replacement for missing values (NaN) */
  air: number;
  peaks: GreyPeaks | null;
  /**
   * source of the material's grey value: places deep in the part; the profiles of its walls when there are no such
   * places; or nothing, and then it is a guess; undefined when it was not determined
   */
  toldBy?: 'depth' | 'walls' | 'nothing';
  /** standard deviation of the contrast as a share of it, when it comes from walls or from few deep places */
  contrastWithin?: number;
  /** standard deviation of the edges, in voxels, when it comes from walls or from few deep places */
  blurVoxels?: number;
}

/**
 * Determines the grey value of the surface.
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
      'No surface: the grey values do not separate into air and material. Enter a grey value.',
    );
  }
  return { isoValue, air, peaks };
}
