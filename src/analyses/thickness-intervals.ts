/** Intervals of wall thicknesses: from the surface that walls lie between, or from the profiles of those that are thin. */
import type { ResultOf } from '#contract/analyses/data-kinds.ts';
import type { wallThickness } from '#contract/analyses/wall-thickness.ts';
import { percentileNames } from '#contract/metadata/statistics.ts';
import type { Uncertainty } from '#contract/metadata/uncertainty.ts';
import type { Warning } from '#contract/metadata/warning.ts';
import type { SurfaceUncertainty } from '#kernels/surface/surface-uncertainty.ts';
import { thinVoxels } from '#kernels/thickness/thin-walls.ts';
import { expand, noisePatch } from './surface-interval.ts';
import { fewestByProfile } from './thin-walls.ts';

/**
 * At each end of a ball or ray, as a mean over many places, in voxels: walls of tubes come out up to 0.05 voxels and more too
 * thick (docs/accuracy.md), of which the scan shows nothing.
 */
const endShift = 0.035;

/**
 * Of a thickness as a mean or a percentile over many places: both faces of a wall are shifted alike by the level, each to
 * its own side, and placed by the grid and the method independently.
 */
function findThicknessUncertainty(
  { level, grid }: SurfaceUncertainty,
  voxelSizeMm: readonly number[],
): Uncertainty {
  const voxelMm = Math.max(...voxelSizeMm);
  return expand({
    level: 2 * level * voxelMm,
    grid: Math.SQRT2 * grid * voxelMm,
    method: Math.SQRT2 * endShift * voxelMm,
  });
}

/** Of the thickness at the one place where it is least or most: noise has chosen it from among all others. */
function findExtremeUncertainty(
  surface: SurfaceUncertainty,
  voxelSizeMm: readonly number[],
  areaMm2: number,
): Uncertainty {
  const voxelMm = Math.max(...voxelSizeMm);
  const places = Math.max(2, areaMm2 / (noisePatch * voxelMm ** 2));
  const { contributions } = findThicknessUncertainty(surface, voxelSizeMm);
  const common = Object.fromEntries(contributions.map(({ name, value }) => [name, value]));
  const single = Math.SQRT2 * surface.noise * voxelMm;
  return expand({ ...common, noise: single * Math.sqrt(2 * Math.log(places)) });
}

type Metadata = ResultOf<typeof wallThickness>;
type Measured = Pick<Metadata, 'minMm' | 'maxMm' | 'percentilesMm' | 'thinWalls' | 'histogram'>;

/** A mean over walls of both kinds is known as well as the worse of them; of a share below this it says nothing. */
const negligibleShare = 0.05;

/**
 * Of mean and percentiles, and of the extremes where no wall is thin: those lie on rims and corners, which have none.
 * @param surface null where the scan does not tell how far off it may be
 */
export function findThicknessUncertainties(
  { minMm, maxMm, percentilesMm, thinWalls, histogram }: Measured,
  surface: SurfaceUncertainty | null,
  voxelSizeMm: readonly number[],
  doubts: readonly Warning[],
): Metadata['uncertainties'] {
  // How thin walls were measured says more than that there are any.
  if (doubts.some(({ code, invalidates }) => invalidates && code !== 'SCAN_THIN_WALLS')) return {};
  // Where walls are near the detection limit, those below it are missing or come out thicker.
  const isTold =
    thinWalls && thinWalls.profileShare >= fewestByProfile && minMm >= thinWalls.detectionLimitMm;
  const thin =
    isTold && thinWalls.uncertaintyMm !== null ? expand({ profile: thinWalls.uncertaintyMm / 2 }) : null;
  const thick = surface && findThicknessUncertainty(surface, voxelSizeMm);
  const thinMm = thinVoxels * Math.max(...voxelSizeMm);
  const findOne = (value: number): Uncertainty | null => (value < thinMm ? thin : thick);
  const share = thinWalls?.areaShare ?? 0;
  const areaMm2 = histogram.areaMm2.reduce((sum, area) => sum + area, 0);
  const ofExtreme = (value: number) =>
    surface && !thinWalls && value >= thinMm ? findExtremeUncertainty(surface, voxelSizeMm, areaMm2) : null;
  const found = [
    ['minMm', ofExtreme(minMm)],
    [
      'meanMm',
      findWorse(share > negligibleShare ? thin : undefined, share < 1 - negligibleShare ? thick : undefined),
    ],
    ['maxMm', ofExtreme(maxMm)],
    ...percentileNames.map((name) => [`percentilesMm.${name}`, findOne(percentilesMm[name])] as const),
  ] as const;
  return Object.fromEntries(found.filter(([, known]) => known));
}

/** @returns null where one of them is not known; undefined ones don't count */
function findWorse(...all: (Uncertainty | null | undefined)[]): Uncertainty | null {
  const known = all.filter((each) => each !== undefined);
  return known.includes(null)
    ? null
    : known.reduce((worst, each) => ((each?.expanded ?? 0) > (worst?.expanded ?? 0) ? each : worst), null);
}
