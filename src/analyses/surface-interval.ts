/** Intervals of what is measured on the surface of a scan, from what is known of that surface. */
import { checkLevel } from '#contract/analyses/scan-findings.ts';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import type { Uncertainty } from '#contract/metadata/uncertainty.ts';
import type { WarningCode } from '#contract/metadata/warning.ts';
import { type AcuteLoss, findAcuteLoss } from '#kernels/surface/acute-edges.ts';
import { type EdgeMiddles, findStretch } from '#kernels/surface/edge-blur.ts';
import { weightsAlong } from '#kernels/surface/filter-weights.ts';
import {
  estimateSurfaceUncertainty,
  findBrightening,
  findCurvature,
  findLevelOffset,
  findRaised,
  findUnevenness,
  type SurfaceUncertainty,
} from '#kernels/surface/surface-uncertainty.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';
import { expand } from './expand-uncertainty.ts';
import { areWallsTold, isLevelTold } from './found-level.ts';
import { isFollowing } from './scan-doubts.ts';
import type { VolumeSurface } from './volume-surface.ts';

/** Shifts the surface in ways that the scan does not tell the amount of: no interval. */
const unknownShift: readonly WarningCode[] = [
  'SCAN_UNJUDGED',
  'SCAN_RINGS',
  'SCAN_BANDS',
  'SCAN_SATURATED',
  'SCAN_AIR_CUT',
  'SCAN_HAZE',
  'SCAN_GREY_CURVE',
  'SCAN_GREY_STEPS',
  'SCAN_MATERIALS',
  'SCAN_LOST_SLICES',
  'SCAN_SLICES_MOVED',
  'SCAN_DOUBLE_EDGES',
  'SCAN_CUT',
  'SCAN_FEW_DEEP',
  'SCAN_THIN_WALLS',
  'SCAN_NARROW_GAPS',
  'SCAN_SKIN',
  'SCAN_FILTERED',
];
/** The same of a surface that lies at one level: local levels follow these. */
const followed: readonly WarningCode[] = ['SCAN_UNEVEN', 'SCAN_GRADIENT'];
/** Noise of a coarser grain is more than its single voxels show, unless there is hardly any. */
const [mostGrain, clearContrast] = [2, 40];
/** In voxels, where no edge tells the blur: of parts near the border, of a few voxels, or sharper than it can be told. */
const unseenBlur = 1.2;
/**
 * What a linear fit over its window leaves of levels that bend: half the square of the window (16 to 32 voxels) over that of a
 * part of some 50 voxels, as a share of how much they differ over the part.
 */
const localShare = 0.08;

/**
 * Of what local levels differ by, a linear fit leaves more where hardening is known to be left than of a smooth shading: material
 * rises towards a face by the root of the depth, which a line through depths of 3 to 16 voxels misses by 0.2 of its rise to the
 * middle; of simulated steel 0.28 to 0.33 of the spread was left, and edges look sharper than they are by up to a third.
 */
const hardenedShare = 0.5;
/**
 * Of what rises towards a face by the root of the depth, local levels have followed a part, and the rest shows the less beside the edges:
 * balls and cylinders that are brighter at their faces by 15 to 50 % lay off by 1.8 times as much of it as at one level.
 */
const followedGain = 1.8;
/**
 * Material that is brighter than the peak by more than this share of the contrast, and does not lie at the surface, where the
 * edges would show it, is another material or an inclusion: the level is none the worse for it.
 */
const unseenShare = 0.01;
/** Where the edges do show it, it is up to twice this many times what they show: of simulated steel it was 3.1 times that. */
const mostSeen = 1.7;

/**
 * A filter takes a sixth to a third of what air beside the edges was raised by to where they are, the more the wider it is. So much
 * of it counts as a standard uncertainty of the level, times what the filter has made the edges flatter by.
 */
const raisedShare = 0.15;

type Found = Pick<VolumeSurface, 'level' | 'local' | 'smoothing' | 'doubts'> & {
  /** null where too few of its edges are clear */
  edgeMiddles: EdgeMiddles | null;
  /** what blur does to thin walls counts, where their level is known */
  withThin?: boolean;
};

/** By how much levels bend; where the material's level is carried over from elsewhere, by how much they differ. */
export function findBend({
  contrastSpread,
  airSpread,
  localShare: told,
  bend,
}: Omit<NonNullable<Found['local']>, 'field'>): number {
  const spread = Math.hypot(contrastSpread, airSpread);
  return bend === undefined ? spread : Math.max(bend, (1 - told) * spread);
}

/** By how much air is brighter beside the edges than at its peak, as a share of the contrast; local levels are those beside the edges. */
function findRaisedAir({ range }: VolumeInput, { level, local, smoothing }: Found): number {
  const { peaks } = level;
  if (local || !peaks) return 0;
  return findRaised(peaks.air, smoothing.noise ?? 0, range[0]) / (peaks.material - peaks.air);
}

/**
 * @param blurVoxels of the surface's own edges; 0 where they don't tell it
 * @returns null where the scan does not tell how far off the surface may be
 */
export function findSurfaceUncertainty(
  volume: VolumeInput,
  { level, local, smoothing, doubts, withThin = false, ...found }: Found,
  blurVoxels: number,
  { judged, doubts: scanDoubts }: Pick<AnalysisContext, 'judged' | 'doubts'>,
): SurfaceUncertainty | null {
  const { histogram, grid } = volume;
  const { peaks, toldBy } = level;
  // Walls that tell the level themselves end before the depths at which it is read beside other edges.
  const edgeMiddles = toldBy === 'walls' ? null : found.edgeMiddles;
  const blur = blurVoxels > 0 ? blurVoxels : (judged?.blurVoxels ?? level.blurVoxels ?? unseenBlur);
  const isFollowed = local !== null && isFollowing({ localLevels: local });
  const isThin = withThin && judged !== null && local === null && areWallsTold(level, judged);
  const isAnswered = (code: WarningCode) =>
    (code === 'SCAN_FEW_DEEP' && isLevelTold(level)) || (code === 'SCAN_THIN_WALLS' && isThin);
  const isUnknown = scanDoubts.some(
    ({ code, invalidates }) =>
      (unknownShift.includes(code) && !isAnswered(code)) ||
      (followed.includes(code) ? !isFollowed : Boolean(invalidates) && !isAnswered(code)),
  );
  if (!judged || !peaks || isUnknown || doubts.length > 0 || toldBy === 'nothing') return null;
  const grain = judged.noiseGrain ?? 1;
  if (grain > mostGrain && (judged.contrastToNoise ?? 0) < clearContrast) return null;
  if (checkLevel(judged, level.isoValue)) return null;
  const inwardVoxels = findInward(judged);
  if (inwardVoxels === null) return null;
  const { noise, noiseShare, filter } = smoothing;
  const edge = Math.hypot(blur, Math.sqrt(1 / 12));
  const weights = weightsAlong(filter, grid.voxelSizeMm);
  const stretch = Math.max(...weights.map((each) => findStretch(each, edge)));
  const known = { level, local, smoothing, doubts, edgeMiddles };
  const offset = edgeMiddles
    ? findLevelOffset(edgeMiddles, edge * stretch) - findRaisedAir(volume, known) / 2
    : 0;
  const seenShare = edgeMiddles
    ? Math.max(unseenShare, mostSeen * Math.abs(offset))
    : Number.POSITIVE_INFINITY;
  const overPart = local
    ? localShare * findBend(local)
    : Math.min(findBrightening(histogram, peaks, noise ?? 0, judged.specks?.share) / 2, seenShare);
  // A face may run along a layer that is twice its deviation lighter or denser, by half of which its level is off. What differs
  // at the faces shows beside the edges, where the middle between air and material differs by half as much.
  const atFaces = edgeMiddles
    ? 2 * findUnevenness(edgeMiddles, weights, noiseShare ?? 0)
    : Number.POSITIVE_INFINITY;
  const texture = Math.min(judged.texture ?? 0, atFaces);
  const raised = raisedShare * stretch * findRaisedAir(volume, known);
  const levelShare = Math.hypot(overPart, texture, (level.contrastWithin ?? 0) / 2, raised);
  return estimateSurfaceUncertainty({
    blurVoxels: blur,
    noiseShare: (noiseShare ?? 0) * Math.max(1, grain),
    stretch,
    levelShare,
    levelOffset: judged.viewDoubts?.includes('HARDENING_LEFT')
      ? Math.max(Math.abs(offset), hardenedShare * (local?.contrastSpread ?? 0))
      : (local ? followedGain : 1) * offset,
    inwardVoxels,
    thinShare: isThin ? judged.thinShare : 0,
    wallVoxels: judged.thinnestWallVoxels,
  });
}

/** How far inside blur in the radiographs puts the edges, in voxels; null where that is told and not by how much. */
export const findInward = ({ edgesInwardVoxels, viewDoubts = [] }: ScanQuality): number | null =>
  edgesInwardVoxels ?? (viewDoubts.includes('EDGES_INWARD') ? null : 0);

/** What is not known of the blur counts with it on curved faces, and the edges that voxels round by half of one. */
const [curvatureShare, roundedVariance] = [0.1, 0.25];
/** Voxels² of a face over which noise is the same, at sharp edges: (3.9 / 0.7)². */
export const noisePatch = 31;

/** Of a mesh or a surface in the arena, what its interval takes. */
export const measureShape = (
  mesh: Parameters<typeof findCurvature>[0],
  areaMm2: number,
  { gridEdge }: SurfaceUncertainty,
  voxelSizeMm: readonly number[],
): MeasuredMesh => {
  const voxelMm = meanEdge(voxelSizeMm);
  const { mean: curvature, edgeShare } = findCurvature(mesh, { sharp: rimBend / Math.max(...voxelSizeMm) });
  return { areaMm2, curvature, edgeShare, acute: findAcuteLoss(mesh, voxelMm, gridEdge * voxelMm) };
};

interface MeasuredMesh {
  areaMm2: number;
  /** mean amount of the mean curvature, 1/mm */
  curvature: number;
  /** of the area: what is bent so much, and across alone, that it may be the rounded image of an edge */
  edgeShare: number;
  /** what sharp edges of less than a right angle would have beyond it */
  acute: AcuteLoss;
}

/** Bent by more than this (1/voxel), a surface may be an edge that voxels, blur and the filter have rounded. */
const rimBend = 0.12;

export const meanEdge = (voxelSizeMm: readonly number[]) =>
  Math.cbrt(voxelSizeMm.reduce((product, edge) => product * edge, 1));

/** What moves the whole surface, in mm (k = 1): a face of this mean curvature (1/mm), or the others. */
export function listShifts(
  { surface: { level, grid, edgeVariance }, curvature }: { surface: SurfaceUncertainty; curvature: number },
  voxelSizeMm: readonly number[],
) {
  const voxelMm = meanEdge(voxelSizeMm);
  const ofBend = curvatureShare * (edgeVariance + roundedVariance) * curvature * voxelMm;
  return { level: voxelMm * level, grid: voxelMm * grid, curvature: voxelMm * ofBend };
}

/** Of a volume, the same: on bodies whose volume is known by a formula the error does not go with their curvature. */
const volumeCurvatureShare = 0.03;
/** What sharp edges lose to blur, or get back too much of, over their area and the variance of an edge: seen on gears and blocks. */
const edgeLoss = 0.04;
/** k = 1: all of what acute edges may have lost lies within the interval, as blur takes it from each of them. */
const acuteShare = 0.5;
/** Of what moves a surface, the share that is left of it in a volume, as a mean over all of its faces. */
const [ofLevel, ofGrid] = [0.85, 0.6];

/**
 * Of the volume within the surface: a shift of all of it counts with its area; a curved face is moved by its blur's variance
 * times its mean curvature, which is given back from the blur that its edges show; sharp edges are rounded, and given back in part;
 * noise counts with the root of the number of places that it is independent at.
 */
export function findVolumeUncertainty(
  { level, grid, noise, edgeVariance, thin }: SurfaceUncertainty,
  { areaMm2, curvature, edgeShare, acute }: MeasuredMesh,
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
    noise: byShift * noise * Math.sqrt((noisePatch * voxelMm ** 2) / areaMm2),
  });
}

/**
 * k = 1 of what edges lose, of the area that is bent as they are: all of it where they were sharp, none where they were round.
 * Seen on gears, nuts, cubes and cones at blurs of 0.35 to 1.1 voxels.
 */
const rimLoss = 0.12;
/** Wider edges (in voxels) lose as much more, while what is bent beyond a given amount is the same share of the area. */
const usualEdge = 0.75;
/** What the bumps that noise leaves add to the area, over the square of the noise of one place in voxels. */
const bumpShare = 0.1;

/**
 * Of the area of the surface: a shift of all of it counts with its curvature; edges may have been sharp or round; noise adds
 * bumps.
 */
export function findAreaUncertainty(
  { level, grid, noise, edgeVariance, gridEdge, thin }: SurfaceUncertainty,
  { areaMm2, curvature, edgeShare, acute }: MeasuredMesh,
  voxelSizeMm: readonly number[],
): Uncertainty {
  const bend = curvature * meanEdge(voxelSizeMm);
  const byShift = 2 * bend * areaMm2;
  return expand({
    level: byShift * level,
    grid: byShift * grid,
    curvature: byShift * curvatureShare * (edgeVariance + roundedVariance) * bend,
    ...(thin > 0 ? { thin: byShift * thin } : {}),
    edges: rimLoss * Math.max(1, gridEdge / usualEdge) * edgeShare * areaMm2 + acuteShare * acute.areaMm2,
    noise: bumpShare * noise ** 2 * areaMm2,
  });
}
