/** Intervals of wall thickness, from the surfaces on both sides or from the profiles of thin walls. */
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
import { minProfileShare } from './thin-walls.ts';

/**
 * Systematic error at each end of a ball or ray, as a mean over many places, in voxels: walls of tubes come out up to
 * 0.05 voxels or more too thick (docs/accuracy.md), which the scan does not show.
 */
const endShift = 0.035;
/** The same for a single place. */
const placeShift = 0.07;

/**
 * Common uncertainty of a thickness over many places: the level moves both faces apart, grid and method place them
 * independently.
 */
const findCommon = ({ level, grid }: SurfaceUncertainty, voxelMm: number, shift = endShift) => ({
  level: 2 * level * voxelMm,
  grid: Math.SQRT2 * grid * voxelMm,
  method: Math.SQRT2 * shift * voxelMm,
});

/**
 * Noise loss of a ball, in standard deviations of one place, in walls as round as a rod (1): the ball touches a whole
 * ring and is stopped by the place that noise moved furthest inward. Between flat faces (0) it touches one place on
 * each.
 */
const ringLoss = 1.5;

/** Curvature of the faces of some walls. */
interface WallBend {
  /** roundness of the walls that stop a ball: 2 all around, 1 for a rod, 0 between flat faces */
  roundness: number;
  /** mean of the signed mean curvature, 1/mm: the two faces of a bent sheet cancel out */
  curvature: number;
}

export interface WallShape {
  /** longest voxel edge */
  voxelMm: number;
  /** of all walls, and of those about as thick as the median */
  all: WallBend;
  atMedian: WallBend;
  /** share of the area on rims and corners, where balls have another diameter than in the wall beside them */
  rimShare: number;
}

/** A place is a rim if its largest curvature exceeds twice that of a ball of the wall's thickness. */
const rimBend = 2;
/**
 * Walls within this share of the median count as about as thick; at the rims of a plate balls are larger by 4 % and
 * more.
 */
const aboutMedian = 0.02;
/**
 * The median describes most walls; those with this multiple of the curvature of half of them, such as the round rims of
 * a plate, are excluded.
 */
const commonBend = 2;

/**
 * For rays, which end at one place whatever the shape.
 * @param thicknessMm per vertex; NaN where not measured
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
  const maxBend = commonBend * findMiddle(bends.filter((_, v) => isThick(v)));
  const isAbout = (v: number) => isThick(v) && (bends[v] ?? 0) <= maxBend;
  return {
    voxelMm,
    all: describe(),
    atMedian: describe(isAbout),
    rimShare: findBentShare(mesh, (2 * rimBend) / medianMm),
  };
}

const findMiddle = (values: Float32Array): number => values.sort()[values.length >> 1] ?? 0;

/** Distance of each percentile from the median of a normal distribution, in standard deviations. */
const deviations: Record<PercentileName, number> = {
  ...{ p1: 2.326, p5: 1.645, p25: 0.674, p50: 0, p75: 0.674, p95: 1.645, p99: 2.326 },
};
type PercentileName = (typeof percentileNames)[number];
/** Share of the area beyond a percentile, on its side of the median. */
const shareBeyond = (name: PercentileName): number => {
  const below = Number(name.slice(1)) / 100;
  return Math.min(below, 1 - below);
};

/**
 * Both faces of a round wall are moved inward by the variance of their edges times their mean curvature. Rods came out
 * too thin by this, balls, which are stopped all around, by twice as much, which the interval covers.
 */
const findRounding = ({ edgeVariance }: SurfaceUncertainty, bend: WallBend, voxelMm: number) =>
  Math.max(1, bend.roundness) * edgeVariance * voxelMm ** 2 * Math.abs(bend.curvature);

/** For a mean, or a percentile at this many deviations from the median, where noise has spread the places. */
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

/** For an extreme, whose place noise has selected among all others. */
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
  | 'minMm'
  | 'meanMm'
  | 'maxMm'
  | 'percentilesMm'
  | 'thinWalls'
  | 'histogram'
  | 'belowMinimumShare'
  | 'minThicknessMm'
> & {
  /** statistics of the least thickness that rims may have; null when balls were not measured */
  narrowed: Figures | null;
  /** statistics without rims and corners; null when balls were not measured, or hardly anything else is left */
  rimless: Figures | null;
};
type Figures = Pick<Metadata, 'minMm' | 'meanMm' | 'maxMm' | 'percentilesMm'>;

/** Slightly inclined balls are not told from those on flat faces, which leaves a tenth. */
const rimGain = 1.1;

/** Extends an interval by what balls at rims may change the number by, in full: noise may add to it. */
function includeRims(of: Uncertainty | null, changeMm: number): Uncertainty | null {
  const change = rimGain * changeMm;
  if (!of || !(change > 0)) return of;
  const rims = Math.sqrt((change / 2) ** 2 + (change / 2) * of.expanded);
  return expand({ ...Object.fromEntries(of.contributions.map(({ name, value }) => [name, value])), rims });
}

/** Rims move a mean by about a tenth of their share; an extreme lies on them if there are any. */
const [maxRims, minRims] = [0.02, 0.001];

/** A mean over walls of both kinds is as uncertain as the worse kind, unless that kind's share is below this. */
const negligibleShare = 0.05;

/**
 * Intervals of mean and percentiles, and of the extremes if no wall is thin. Those that rims and corners may decide
 * extend to the number without them, and have none if hardly anything else is left or for rays.
 * @param surface null when the scan does not show its uncertainty
 */
export function findThicknessUncertainties(
  { narrowed, rimless, thinWalls, histogram, ...measured }: Measured,
  surface: SurfaceUncertainty | null,
  { voxelMm, all, atMedian, rimShare }: WallShape,
  doubts: readonly Warning[],
): Metadata['uncertainties'] {
  const { minMm, percentilesMm, minThicknessMm } = measured;
  // The method used for thin walls matters more than their presence.
  if (doubts.some(({ code, invalidates }) => invalidates && code !== 'SCAN_THIN_WALLS')) return {};
  // Near the detection limit, walls below it are missing or come out too thick.
  const isLevelKnown =
    thinWalls && thinWalls.profileShare >= minProfileShare && minMm >= thinWalls.detectionLimitMm;
  const thin =
    isLevelKnown && thinWalls.uncertaintyMm !== null
      ? expand({ profile: thinWalls.uncertaintyMm / 2 })
      : null;
  const thinMm = thinVoxels * voxelMm;
  /**
   * @param maxRimShare the number lies on rims if their share of the area is larger
   * @param isRaised larger balls on narrow sides raise it, unlike what lies below the median
   */
  const withRims = (
    of: Uncertainty | null,
    find: (figures: Figures) => number,
    { maxRimShare, isRaised }: { maxRimShare: number; isRaised: boolean },
  ) => {
    const isOnRims = rimShare > maxRimShare;
    if (isOnRims && !rimless) return null;
    const value = find(measured);
    const raised = narrowed && isRaised ? value - find(narrowed) : 0;
    return includeRims(of, Math.max(raised, isOnRims && rimless ? Math.abs(value - find(rimless)) : 0));
  };
  const findOne = (name: PercentileName): Uncertainty | null => {
    if (percentilesMm[name] < thinMm) return thin;
    const bend = name === 'p50' ? atMedian : all;
    const own = surface && findThicknessUncertainty(surface, voxelMm, bend, deviations[name]);
    const isRaised = name === 'p75' || name === 'p95' || name === 'p99';
    const kept = { maxRimShare: shareBeyond(name), isRaised };
    return withRims(own, (figures) => figures.percentilesMm[name], kept);
  };
  const share = thinWalls?.areaShare ?? 0;
  const areaMm2 = histogram.areaMm2.reduce((sum, area) => sum + area, 0);
  const ofExtreme = surface && !thinWalls ? findExtremeUncertainty(surface, voxelMm, all, areaMm2) : null;
  const findExtreme = (name: 'minMm' | 'maxMm') => {
    const kept = { maxRimShare: minRims, isRaised: name === 'maxMm' };
    return measured[name] < thinMm ? null : withRims(ofExtreme, (figures) => figures[name], kept);
  };
  const isThinLimit = minThicknessMm !== null && minThicknessMm < thinMm;
  const ofPlace = isThinLimit ? thin : surface && findThicknessUncertainty(surface, voxelMm, all, 2);
  const thick = surface && findThicknessUncertainty(surface, voxelMm, all);
  const hasThick = share < 1 - negligibleShare;
  const ofMean = findWorse(share > negligibleShare ? thin : undefined, hasThick ? thick : undefined);
  const keptOfMean = { maxRimShare: hasThick ? maxRims : 1, isRaised: true };
  const found: (readonly [MeasurePath, Uncertainty | null | undefined])[] = [
    ['minMm', findExtreme('minMm')],
    ['meanMm', withRims(ofMean, ({ meanMm }) => meanMm, keptOfMean)],
    ['maxMm', findExtreme('maxMm')],
    ...percentileNames.map((name) => [`percentilesMm.${name}`, findOne(name)] as const),
    ['belowMinimumShare', findShare(measured, histogram, ofPlace, rimShare)],
  ];
  return Object.fromEntries(found.filter(([, known]) => known));
}

/** Balls on rims and corners differ from those beside them: half of the rims may count on the wrong side of a limit. */
const rimErrorShare = 0.5;

/**
 * Uncertainty of the area below the minimum: places closer to it than their own uncertainty may be on either side.
 * @param ofPlace uncertainty of the thickness at one place
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
  return expand({ limit: near / 2, rims: near > 0 ? rimErrorShare * Math.min(rimShare, near) : 0 });
}

/** Share of the area below the limit; the bin containing the limit counts proportionally. */
function shareBelow({ edgesMm, areaMm2 }: Measured['histogram'], limitMm: number): number {
  let [below, all] = [0, 0];
  for (const [bin, area] of areaMm2.entries()) {
    const [from = 0, to = 0] = edgesMm.slice(bin, bin + 2);
    all += area;
    if (to > from) below += area * Math.min(1, Math.max(0, (limitMm - from) / (to - from)));
  }
  return all > 0 ? below / all : 0;
}

/** @returns null when one of them is unknown; undefined ones are ignored */
function findWorse(...all: (Uncertainty | null | undefined)[]): Uncertainty | null {
  const known = all.filter((each) => each !== undefined);
  return known.includes(null)
    ? null
    : known.reduce((worst, each) => ((each?.expanded ?? 0) > (worst?.expanded ?? 0) ? each : worst), null);
}
