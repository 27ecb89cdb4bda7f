/** Intervals of wall thicknesses: from the surface that walls lie between, or from the profiles of those that are thin. */
import type { ResultOf } from '#contract/analyses/data-kinds.ts';
import type { wallThickness } from '#contract/analyses/wall-thickness.ts';
import { percentileNames } from '#contract/metadata/statistics.ts';
import type { Uncertainty } from '#contract/metadata/uncertainty.ts';
import type { Warning } from '#contract/metadata/warning.ts';
import type { Grid } from '#kernels/grid/volume.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import {
  findBentShare,
  findCurvature,
  findVertexCurvatures,
  type SurfaceUncertainty,
} from '#kernels/surface/surface-uncertainty.ts';
import { thinVoxels } from '#kernels/thickness/thin-walls.ts';
import { expand } from './expand-uncertainty.ts';
import { noisePatch } from './surface-interval.ts';
import { fewestByProfile } from './thin-walls.ts';

/**
 * At each end of a ball or ray, as a mean over many places, in voxels: walls of tubes come out up to 0.05 voxels and more too
 * thick (docs/accuracy.md), of which the scan shows nothing.
 */
const endShift = 0.035;
/** The same of a single place. */
const placeShift = 0.07;

/**
 * Of a thickness over many places: both faces of a wall are shifted alike by the level, each to
 * its own side, and placed by the grid and the method independently.
 */
const findCommon = ({ level, grid }: SurfaceUncertainty, voxelMm: number, shift = endShift) => ({
  level: 2 * level * voxelMm,
  grid: Math.SQRT2 * grid * voxelMm,
  method: Math.SQRT2 * shift * voxelMm,
});

/**
 * What a ball loses to noise, in standard deviations of one place, in walls that are as round as a rod (1): there it touches
 * a whole ring, of which the place that noise has moved inwards most stops it. Between flat faces (0) it touches one place
 * on each.
 */
const ringLoss = 1.5;

/** How the faces of some walls are bent. */
interface WallBend {
  /** how round the walls are by which a ball is stopped: 2 all around, 1 for a rod, 0 between flat faces */
  roundness: number;
  /** amount of the mean curvature with its sign, 1/mm: the two faces of a bent sheet cancel out */
  curvature: number;
}

export interface WallShape {
  /** the longest edge of a voxel */
  voxelMm: number;
  /** of all walls, and of those that are about as thick as the median */
  all: WallBend;
  atMedian: WallBend;
  /** of the area: rims and corners, where a ball has another diameter than in the wall beside them */
  rimShare: number;
}

/** Bent by more than twice what a ball of the wall's thickness is, in the direction in which it is bent the most, the surface is a rim. */
const rimBend = 2;
/** Walls of such a share more or less are about as thick; at the rims of a plate balls are larger by 4 % and more. */
const aboutMedian = 0.02;
/** A median is that of most walls: those that are bent by so many times more than half of these, as the round rims of a plate, say nothing of it. */
const commonBend = 2;

/**
 * A ray ends at one place, whatever the shape.
 * @param thicknessMm of each vertex; NaN where none was measured
 */
export function describeShape(
  { positions, normals, indices }: TriangleMesh,
  method: Metadata['method'],
  thicknessMm: Float32Array,
  medianMm: number,
  { voxelSizeMm }: Pick<Grid, 'voxelSizeMm'>,
): WallShape {
  const voxelMm = Math.max(...voxelSizeMm);
  const flat = { roundness: 0, curvature: 0 };
  if (!normals) return { voxelMm, all: flat, atMedian: flat, rimShare: 0 };
  const mesh = { positions, normals, indices };
  const describe = (isCounted?: (vertex: number) => boolean): WallBend => {
    const { mean, signed } = findCurvature(mesh, { isCounted });
    return { roundness: method === 'ray' ? 0 : Math.min(2, medianMm * mean), curvature: signed };
  };
  const bends = findVertexCurvatures(mesh);
  const isThick = (v: number) => Math.abs((thicknessMm[v] ?? Number.NaN) - medianMm) < aboutMedian * medianMm;
  const mostBend = commonBend * findMiddle(bends.filter((_, v) => isThick(v)));
  const isAbout = (v: number) => isThick(v) && (bends[v] ?? 0) <= mostBend;
  return {
    voxelMm,
    all: describe(),
    atMedian: describe(isAbout),
    rimShare: findBentShare(mesh, (2 * rimBend) / medianMm),
  };
}

const findMiddle = (values: Float32Array): number => values.sort()[values.length >> 1] ?? 0;

/** Of normally distributed values, how many standard deviations such a percentile lies off the median. */
const deviations: Record<PercentileName, number> = {
  ...{ p1: 2.326, p5: 1.645, p25: 0.674, p50: 0, p75: 0.674, p95: 1.645, p99: 2.326 },
};
type PercentileName = (typeof percentileNames)[number];
/** The share of the area that lies beyond a percentile, on its side of the median. */
const shareBeyond = (name: PercentileName): number => {
  const below = Number(name.slice(1)) / 100;
  return Math.min(below, 1 - below);
};

/**
 * Both faces of a wall that is round lie further inside by the variance of its edges times their mean curvature. Rods came out too
 * thin by this, balls, which are stopped all around, by twice as much: that is what the interval reaches to.
 */
const findRounding = ({ edgeVariance }: SurfaceUncertainty, bend: WallBend, voxelMm: number) =>
  Math.max(1, bend.roundness) * edgeVariance * voxelMm ** 2 * Math.abs(bend.curvature);

/** Of a mean, or of a percentile so many deviations off the median: noise has spread the places to either side. */
function findThicknessUncertainty(
  surface: SurfaceUncertainty,
  voxelMm: number,
  bend: WallBend,
  spread = 0,
): Uncertainty {
  const { roundness } = bend;
  const single = Math.SQRT2 * surface.noise * voxelMm;
  return expand({
    ...findCommon(surface, voxelMm),
    curvature: findRounding(surface, bend, voxelMm),
    noise: single * Math.hypot(ringLoss * Math.min(1, roundness), spread / 2),
  });
}

/** Of the thickness at the one place where it is least or most: noise has chosen it from among all others. */
function findExtremeUncertainty(
  surface: SurfaceUncertainty,
  voxelMm: number,
  bend: WallBend,
  areaMm2: number,
): Uncertainty {
  const places = Math.max(2, areaMm2 / (noisePatch * voxelMm ** 2));
  const single = Math.SQRT2 * surface.noise * voxelMm;
  const noise = single * (Math.sqrt(2 * Math.log(places)) + ringLoss * Math.min(1, bend.roundness));
  const curvature = findRounding(surface, bend, voxelMm);
  return expand({ ...findCommon(surface, voxelMm, placeShift), curvature, noise });
}

type Metadata = ResultOf<typeof wallThickness>;
type MeasurePath = (typeof wallThickness)['measures'][number]['path'];
type Measured = Pick<
  Metadata,
  'minMm' | 'maxMm' | 'percentilesMm' | 'thinWalls' | 'histogram' | 'belowMinimumShare' | 'minThicknessMm'
>;

/** Rims move a mean by a tenth of their share, about; an extreme lies on them where there are any. */
const [mostRims, fewestRims] = [0.02, 0.001];

/** A mean over walls of both kinds is known as well as the worse of them; of a share below this it says nothing. */
const negligibleShare = 0.05;

/**
 * Of mean and percentiles, and of the extremes where no wall is thin: those lie on rims and corners, which have none.
 * @param surface null where the scan does not tell how far off it may be
 */
export function findThicknessUncertainties(
  { minMm, maxMm, percentilesMm, thinWalls, histogram, ...minimum }: Measured,
  surface: SurfaceUncertainty | null,
  { voxelMm, all, atMedian, rimShare }: WallShape,
  doubts: readonly Warning[],
): Metadata['uncertainties'] {
  // How thin walls were measured says more than that there are any.
  if (doubts.some(({ code, invalidates }) => invalidates && code !== 'SCAN_THIN_WALLS')) return {};
  // Where walls are near the detection limit, those below it are missing or come out thicker.
  const isTold =
    thinWalls && thinWalls.profileShare >= fewestByProfile && minMm >= thinWalls.detectionLimitMm;
  const thin =
    isTold && thinWalls.uncertaintyMm !== null ? expand({ profile: thinWalls.uncertaintyMm / 2 }) : null;
  const thick = surface && findThicknessUncertainty(surface, voxelMm, all);
  const ofMean = rimShare > mostRims ? null : thick;
  const thinMm = thinVoxels * voxelMm;
  const findOne = (name: PercentileName): Uncertainty | null =>
    percentilesMm[name] < thinMm
      ? thin
      : rimShare >= shareBeyond(name)
        ? null
        : surface &&
          findThicknessUncertainty(surface, voxelMm, name === 'p50' ? atMedian : all, deviations[name]);
  const share = thinWalls?.areaShare ?? 0;
  const areaMm2 = histogram.areaMm2.reduce((sum, area) => sum + area, 0);
  const ofExtreme = (value: number) =>
    surface && !thinWalls && value >= thinMm && rimShare <= fewestRims
      ? findExtremeUncertainty(surface, voxelMm, all, areaMm2)
      : null;
  const { minThicknessMm } = minimum;
  const isThinLimit = minThicknessMm !== null && minThicknessMm < thinMm;
  const ofPlace = isThinLimit ? thin : surface && findThicknessUncertainty(surface, voxelMm, all, 2);
  const found: (readonly [MeasurePath, Uncertainty | null | undefined])[] = [
    ['minMm', ofExtreme(minMm)],
    [
      'meanMm',
      findWorse(share > negligibleShare ? thin : undefined, share < 1 - negligibleShare ? ofMean : undefined),
    ],
    ['maxMm', ofExtreme(maxMm)],
    ...percentileNames.map((name) => [`percentilesMm.${name}`, findOne(name)] as const),
    ['belowMinimumShare', findShare(minimum, histogram, ofPlace, rimShare)],
  ];
  return Object.fromEntries(found.filter(([, known]) => known));
}

/** Walls on rims and corners have other balls than those beside them: half of them may count on the wrong side of a limit. */
const rimsAside = 0.5;

/**
 * Of the area below the minimum: what lies closer to it than single places are known may be on either side.
 * @param ofPlace of the thickness at one place
 */
function findShare(
  { belowMinimumShare, minThicknessMm }: Pick<Measured, 'belowMinimumShare' | 'minThicknessMm'>,
  histogram: Measured['histogram'],
  ofPlace: Uncertainty | null,
  rimShare: number,
): Uncertainty | null {
  if (belowMinimumShare === null || minThicknessMm === null || !ofPlace) return null;
  const { expanded } = ofPlace;
  const near =
    shareBelow(histogram, minThicknessMm + expanded) - shareBelow(histogram, minThicknessMm - expanded);
  return expand({ limit: near / 2, rims: near > 0 ? rimsAside * Math.min(rimShare, near) : 0 });
}

/** Of the area, with a bin that the limit cuts as far as it reaches into it. */
function shareBelow({ edgesMm, areaMm2 }: Measured['histogram'], limitMm: number): number {
  let [below, all] = [0, 0];
  for (const [bin, area] of areaMm2.entries()) {
    const [from = 0, to = 0] = edgesMm.slice(bin, bin + 2);
    all += area;
    if (to > from) below += area * Math.min(1, Math.max(0, (limitMm - from) / (to - from)));
  }
  return all > 0 ? below / all : 0;
}

/** @returns null where one of them is not known; undefined ones don't count */
function findWorse(...all: (Uncertainty | null | undefined)[]): Uncertainty | null {
  const known = all.filter((each) => each !== undefined);
  return known.includes(null)
    ? null
    : known.reduce((worst, each) => ((each?.expanded ?? 0) > (worst?.expanded ?? 0) ? each : worst), null);
}
