/** Intervals for numbers measured on the surface of a scan, from the uncertainty of that surface. */
import {
  checkLevel,
  findCurveShift,
  findInward,
  followedShift,
  shiftsPlaces,
  unknownShift,
} from '#contract/analyses/scan-findings.ts';
import type { Uncertainty } from '#contract/metadata/uncertainty.ts';
import type { WarningCode } from '#contract/metadata/warning.ts';
import { type AcuteLoss, findAcuteLoss } from '#kernels/surface/acute-edges.ts';
import { type EdgeMiddles, findStretch } from '#kernels/surface/edge-blur.ts';
import { weightsAlong } from '#kernels/surface/filter-weights.ts';
import type { GreyFilter } from '#kernels/surface/smoothing.ts';
import {
  estimateSurfaceUncertainty,
  findBrightening,
  findCurvature,
  findLevelOffset,
  findRaised,
  findUnevenness,
  includeThinWalls,
  type SurfaceUncertainty,
} from '#kernels/surface/surface-uncertainty.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';
import { expand } from './expand-uncertainty.ts';
import { areWallsKnown, hasKnownLevel } from './found-level.ts';
import { isFollowing } from './scan-doubts.ts';
import type { VolumeSurface } from './volume-surface.ts';

/** Correlated noise is larger than its single voxels show, unless there is hardly any. */
const [maxGrain, clearContrast] = [2, 40];
/**
 * Assumed blur in voxels if no edge shows it: for parts near the border, of a few voxels, or sharper than can be
 * measured.
 */
const unseenBlur = 1.2;
/**
 * What a linear fit over a window leaves of levels that curve: half of the squared ratio of the window (16 to 32
 * voxels) to a part of some 50 voxels, as a share of their variation over the part.
 */
const localShare = 0.08;

/**
 * With remaining beam hardening a linear fit leaves more of the variation of local levels than with smooth shading:
 * material brightens towards a face by the root of the depth, and a line through depths of 3 to 16 voxels misses 0.2 of
 * its rise to the centre. For simulated steel 0.28 to 0.33 of the variation remained, and edges look up to a third
 * sharper than they are.
 */
const hardenedShare = 0.5;
/**
 * Local levels have followed part of a rise towards a face (by the root of the depth), so less of it appears beside the
 * edges: for balls and cylinders that are 15 to 50 % brighter at their faces the error was 1.8 times that at one level.
 */
const followedGain = 1.8;
/**
 * Material that is brighter than the peak by more than this share of the contrast and is not at the surface, where
 * edges would show it, is another material or an inclusion and does not affect the level.
 */
const unseenShare = 0.01;
/**
 * If the edges do show it, it counts up to twice this multiple of what they show; it was 3.1 times for simulated steel.
 */
const maxSeenFactor = 1.7;

/**
 * A wide filter carries a sixth to a third of a rise of the air beside the edges into the edges. This share counts as a
 * standard uncertainty of the level, times the flattening of edges by the filter.
 */
const raisedShare = 0.15;

type Found = Pick<VolumeSurface, 'level' | 'local' | 'smoothing' | 'doubts'> & {
  /** null when too few of its edges are clear */
  edgeMiddles: EdgeMiddles | null;
  /** include the effect of blur on thin walls of known level */
  withThin?: boolean;
};

/** Curvature of the levels over the part; their whole variation where the material's level was extrapolated. */
export function findBend({
  contrastSpread,
  airSpread,
  localShare: told,
  bend,
}: Omit<NonNullable<Found['local']>, 'field'>): number {
  const spread = Math.hypot(contrastSpread, airSpread);
  return bend === undefined ? spread : Math.max(bend, (1 - told) * spread);
}

/**
 * How much brighter air is beside the edges than at its peak, as a share of the contrast; local levels are those beside
 * the edges.
 */
function findRaisedAir({ range }: VolumeInput, { level, local, smoothing }: Found): number {
  const { peaks } = level;
  if (local || !peaks) return 0;
  return findRaised(peaks.air, smoothing.noise ?? 0, range[0]) / (peaks.material - peaks.air);
}

/**
 * @param blurVoxels blur of the surface's own edges; 0 when unknown
 * @returns null when the scan does not show the uncertainty of the surface
 */
export function findSurfaceUncertainty(
  volume: VolumeInput,
  { level, local, smoothing, doubts, withThin = false, ...found }: Found,
  blurVoxels: number,
  { judged, doubts: scanDoubts }: Pick<AnalysisContext, 'judged' | 'doubts'>,
): SurfaceUncertainty | null {
  const { histogram, grid } = volume;
  const { peaks, toldBy } = level;
  // Walls that determine the level themselves end before the depths at which it is read beside other edges.
  const edgeMiddles = toldBy === 'walls' ? null : found.edgeMiddles;
  const blur = blurVoxels > 0 ? blurVoxels : (judged?.blurVoxels ?? level.blurVoxels ?? unseenBlur);
  const isFollowed = local !== null && isFollowing({ localLevels: local });
  const isThin = withThin && judged !== null && local === null && areWallsKnown(level, judged);
  const isAnswered = (code: WarningCode) =>
    (code === 'SCAN_FEW_DEEP' && hasKnownLevel(level)) || (code === 'SCAN_THIN_WALLS' && isThin);
  const isUnknown = scanDoubts.some(
    ({ code, invalidates }) =>
      ((unknownShift.includes(code) || shiftsPlaces.includes(code)) && !isAnswered(code)) ||
      (followedShift.includes(code) ? !isFollowed : Boolean(invalidates) && !isAnswered(code)),
  );
  if (!judged || !peaks || isUnknown || doubts.length > 0 || toldBy === 'nothing') return null;
  const grain = judged.noiseGrain ?? 1;
  if (grain > maxGrain && (judged.contrastToNoise ?? 0) < clearContrast) return null;
  if (checkLevel(judged, level.isoValue)) return null;
  const inwardVoxels = findInward(judged);
  if (inwardVoxels === null) return null;
  const { noise, filter } = smoothing;
  // It is measured only to choose a filter; with a given one, that of the scan counts.
  const noiseShare = smoothing.noiseShare ?? 1 / (judged.contrastToNoise ?? Number.POSITIVE_INFINITY);
  const edge = Math.hypot(blur, Math.sqrt(1 / 12));
  const weights = weightsAlong(filter, grid.voxelSizeMm);
  const stretch = Math.max(...weights.map((each) => findStretch(each, edge)));
  const known = { level, local, smoothing, doubts, edgeMiddles };
  const raisedMiddle = findRaisedAir(volume, known) / 2;
  const offset = edgeMiddles ? findLevelOffset(edgeMiddles, edge * stretch) - raisedMiddle : 0;
  const withThinWalls = edgeMiddles ? includeThinWalls(edgeMiddles, offset, raisedMiddle) : offset;
  const seenShare = edgeMiddles
    ? Math.max(unseenShare, maxSeenFactor * Math.abs(offset))
    : Number.POSITIVE_INFINITY;
  const overPart = local
    ? localShare * findBend(local)
    : Math.min(findBrightening(histogram, peaks, noise ?? 0, judged.specks?.share) / 2, seenShare);
  // A face may run along a layer that is lighter or denser by twice the deviation, half of which its level follows.
  // Differences at the faces appear beside the edges, where the mid-level varies by half as much.
  const atFaces = edgeMiddles
    ? 2 * findUnevenness(edgeMiddles, weights, noiseShare)
    : Number.POSITIVE_INFINITY;
  const texture = Math.min(judged.texture ?? 0, atFaces);
  const raised = raisedShare * stretch * findRaisedAir(volume, known);
  const levelShare = Math.hypot(overPart, texture, (level.contrastWithin ?? 0) / 2, raised);
  return estimateSurfaceUncertainty({
    blurVoxels: blur,
    noiseShare: noiseShare * Math.max(1, grain),
    stretch,
    levelShare,
    levelOffset: Math.max(
      Math.abs(withThinWalls),
      judged.viewDoubts?.includes('HARDENING_LEFT')
        ? Math.max(Math.abs(offset), hardenedShare * (local?.contrastSpread ?? 0))
        : (local ? followedGain : 1) * Math.abs(offset),
    ),
    inwardVoxels,
    areRingsRemoved: judged.viewDoubts?.includes('RINGS_REMOVED') ?? false,
    curveShift: findCurveShift(judged),
    thinShare: isThin ? judged.thinShare : 0,
    wallVoxels: judged.thinnestWallVoxels,
  });
}

/** Remaining uncertainty of the blur on curved faces, and of the half voxel by which voxels round edges. */
const [curvatureShare, roundedVariance] = [0.1, 0.25];
/** Area of a face, in voxels², over which noise is correlated at sharp edges: (3.9 / 0.7)². */
export const noisePatch = 31;

/** Variance in voxels² of the rounding by a median filter of 3 × 3 × 3 voxels; balls and boxes showed 0.5 to 0.7. */
const medianVariance = 0.6;

/**
 * A smoothing given as a number keeps no curvature, and a median filter rounds edges and curves before it is kept.
 * @returns what remains, for the interval
 */
export function findRounding(
  { medianSource, grid }: Pick<VolumeInput, 'medianSource' | 'grid'>,
  filter: GreyFilter,
  { edgeVariance, gridEdge, noise }: SurfaceUncertainty,
): Rounding {
  const isGiven = filter.kind === 'gauss';
  const ofGiven = isGiven ? edgeVariance + roundedVariance - 1 / 12 + filter.sigma ** 2 : 0;
  const gain = weightsAlong(filter, grid.voxelSizeMm).reduce(
    (product, half) =>
      product * Math.sqrt(half.reduce((sum, weight, k) => sum + (k === 0 ? 1 : 2) * weight ** 2, 0)),
    1,
  );
  return {
    variance: ofGiven + (medianSource ? medianVariance : 0),
    roughness: isGiven ? (noise * gain * gridEdge) / edgeVariance ** 0.25 : 0,
  };
}

interface Rounding {
  /** multiplied by its mean curvature, how far a curved face lies inside, in voxels² */
  variance: number;
  /** standard deviation of a vertex that noise left unsmoothed, in voxels */
  roughness: number;
}

/** Shape measures needed for the interval, of a mesh or a surface in the arena. */
export const measureShape = (
  mesh: Parameters<typeof findCurvature>[0],
  areaMm2: number,
  { gridEdge }: SurfaceUncertainty,
  voxelSizeMm: readonly number[],
): Omit<MeasuredMesh, 'rounding'> => {
  const voxelMm = meanEdge(voxelSizeMm);
  const { mean, signed, edgeShare } = findCurvature(mesh, { sharp: rimBend / Math.max(...voxelSizeMm) });
  return {
    areaMm2,
    curvature: mean,
    signed,
    edgeShare,
    acute: findAcuteLoss(mesh, voxelMm, gridEdge * voxelMm),
  };
};

interface MeasuredMesh {
  areaMm2: number;
  /** mean absolute value of the mean curvature, 1/mm */
  curvature: number;
  /** signed mean of the mean curvature, 1/mm; positive when convex */
  signed: number;
  /** share of the area that is sharply curved in one direction only, and may be a rounded edge */
  edgeShare: number;
  /** what sharp edges of less than a right angle would have beyond the surface */
  acute: AcuteLoss;
  /** area beside the cut of a cut part */
  nearCutMm2?: number;
  /** air in gaps that the surface does not show */
  hiddenMm3?: number;
  /** what the settings leave of blur and noise on curved faces */
  rounding: Rounding;
}

/** Above this curvature (1/voxel) a surface may be an edge rounded by voxels, blur and the filter. */
const rimBend = 0.12;

export const meanEdge = (voxelSizeMm: readonly number[]) =>
  Math.cbrt(voxelSizeMm.reduce((product, edge) => product * edge, 1));

/** Shifts of the whole surface in mm (k = 1): on a face of this mean curvature (1/mm), or on average. */
export function listShifts(
  { surface: { level, grid, edgeVariance }, curvature }: { surface: SurfaceUncertainty; curvature: number },
  voxelSizeMm: readonly number[],
) {
  const voxelMm = meanEdge(voxelSizeMm);
  const ofBend = curvatureShare * (edgeVariance + roundedVariance) * curvature * voxelMm;
  return { level: voxelMm * level, grid: voxelMm * grid, curvature: voxelMm * ofBend };
}

/** The same share for a volume: on bodies with a known formula the error does not depend on curvature. */
const volumeCurvatureShare = 0.03;
/**
 * Volume that sharp edges lose to blur, or are overcorrected by, per area and variance of an edge; observed on gears
 * and blocks.
 */
const edgeLoss = 0.04;
/** k = 1: the interval covers all that acute edges may have lost, because blur removes it from each of them. */
const acuteShare = 0.5;
/** k = 1 of the air in faint gaps. At the usual blur volumes lacked 0.7 to 1.1 of the estimate; in noise it finds less. */
const hiddenShare = 0.75;
/** k = 1 of rounding that is not corrected: the interval holds 1.2 times of it. */
const roundingShare = 0.6;
/** k = 1 of the curvature correction beside a cut, which surfaces that end there show little or nothing of. */
const cutShare = 0.5;
/** Share of the surface's shift that remains in a volume, as a mean over all faces. */
const [ofLevel, ofGrid] = [0.85, 0.6];

/**
 * Uncertainty of the enclosed volume: a common shift counts with the area; curved faces are moved by the variance of
 * the blur times their mean curvature, which is corrected with the measured blur; sharp edges are rounded and partly
 * corrected; noise counts with the root of the number of independent places.
 */
export function findVolumeUncertainty(
  { level, grid, noise, edgeVariance, thin }: SurfaceUncertainty,
  { areaMm2, curvature, signed, edgeShare, acute, rounding, nearCutMm2 = 0, hiddenMm3 = 0 }: MeasuredMesh,
  voxelSizeMm: readonly number[],
): Uncertainty {
  const voxelMm = meanEdge(voxelSizeMm);
  const byShift = areaMm2 * voxelMm;
  return expand({
    level: byShift * ofLevel * level,
    grid: byShift * ofGrid * grid,
    curvature: byShift * volumeCurvatureShare * (edgeVariance + roundedVariance) * curvature * voxelMm,
    edges: byShift * edgeLoss * edgeVariance * edgeShare + acuteShare * acute.volumeMm3,
    ...(thin > 0 ? { thin: byShift * thin } : {}),
    ...(nearCutMm2 > 0
      ? { cut: nearCutMm2 * cutShare * (edgeVariance + roundedVariance) * curvature * voxelMm ** 2 }
      : {}),
    ...(hiddenMm3 > 0 ? { gaps: hiddenShare * hiddenMm3 } : {}),
    ...(rounding.variance > 0
      ? { rounding: byShift * roundingShare * rounding.variance * Math.abs(signed) * voxelMm }
      : {}),
    noise: noise * voxelMm ** 2 * Math.sqrt(noisePatch * areaMm2),
  });
}

/**
 * k = 1 of the area lost at sharply curved places: all of it if they were sharp edges, none if they were round.
 * Observed on gears, nuts, cubes and cones at blurs of 0.35 to 1.1 voxels.
 */
const rimLoss = 0.12;
/** Wider edges (in voxels) lose proportionally more, while the sharply curved share of the area stays the same. */
const usualEdge = 0.75;
/** Without correction edges lose up to this multiple of it. */
const roundedRims = 1.3;
/** Area added by noise bumps, per squared noise of one place in voxels. */
const bumpShare = 0.1;
/**
 * The same per squared roughness, and how it grows with that where noise makes specks beside the surface; balls and
 * cylinders gained 1.5 % to 55 % at 0.09 to 0.42 voxels.
 */
const [roughShare, speckShare] = [1.1, 4];

/**
 * Uncertainty of the surface's area: a common shift counts with the curvature; edges may have been sharp or round;
 * noise adds bumps.
 */
export function findAreaUncertainty(
  { level, grid, noise, edgeVariance, gridEdge, thin }: SurfaceUncertainty,
  { areaMm2, curvature, edgeShare, acute, rounding }: MeasuredMesh,
  voxelSizeMm: readonly number[],
): Uncertainty {
  const { variance, roughness } = rounding;
  const bend = curvature * meanEdge(voxelSizeMm);
  const byShift = 2 * bend * areaMm2;
  return expand({
    level: byShift * level,
    grid: byShift * grid,
    curvature: byShift * curvatureShare * (edgeVariance + roundedVariance) * bend,
    ...(thin > 0 ? { thin: byShift * thin } : {}),
    ...(variance > 0 ? { rounding: byShift * roundingShare * variance * bend } : {}),
    edges:
      rimLoss * (variance > 0 ? roundedRims : 1) * Math.max(1, gridEdge / usualEdge) * edgeShare * areaMm2 +
      acuteShare * acute.areaMm2,
    noise:
      (bumpShare * noise ** 2 + roughShare * roughness ** 2 * (1 + speckShare * roughness ** 2)) * areaMm2,
  });
}
