/**
 * What the integrity analysis knows about a scan besides its grey values: the uncertainty of void volumes, and which
 * voids it may miss.
 */
import { findCurveShift, findInward } from '#contract/analyses/scan-findings.ts';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import type { WarningCode } from '#contract/metadata/warning.ts';
import type { Grid } from '#kernels/grid/volume.ts';
import { findSeenDiameter } from '#kernels/integrity/faint-spots.ts';
import { inclusionLevel } from '#kernels/integrity/inclusion-level.ts';
import type { GreyLevels } from '#kernels/integrity/measure-defects.ts';
import type { DefectGroup } from '#kernels/integrity/measure-group.ts';
import { hidesVoids } from '#kernels/quality/features.ts';
import { curveShare, findRaised } from '#kernels/surface/surface-uncertainty.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';
import type { putOnScale } from './local-levels.ts';
import { findBend, meanEdge } from './surface-interval.ts';

/** Smallest uncertainty assumed for a single level of the whole scan. */
export const minUncertainty = 0.02;

/** Assumed blur, in voxels, of a scan of unknown blur. */
export const usualBlur = 0.6;
/** Assumed contrast-to-noise ratio of an unjudged scan. */
const usualContrast = 10;
/**
 * Variation of the material's level between places, with and without local levels, and its uncertainty: as a share of
 * that variation and of the strongest ring. With one level the shell gives the level of the material; an error of the
 * air level counts only for a void's own volume. As shares of the contrast: the width of histogram bins; a share of the
 * noise (the peak was off by 0.012 to 0.02 of it on clean and noisy scans); for a part that fills the scan the
 * uncertainty of air in its widest pores (0.04 at k = 2); and for a background that rises across the scan the deviation
 * of a uniform distribution.
 */
const levelSpread = { local: 0.02, global: 0.05 };
const levelErrorShare = {
  local: 0.014,
  bins: 0.0005,
  filled: 0.02,
  filledNoise: 0.3,
  noise: 0.02,
  rings: 0.1,
};
const findAirError = (quality: AnalysisContext['judged']): number => {
  const isFilled = quality?.isFilled ?? false;
  return Math.hypot(
    levelErrorShare[isFilled ? 'filled' : 'bins'],
    levelErrorShare[isFilled ? 'filledNoise' : 'noise'] / (quality?.contrastToNoise ?? usualContrast),
    (quality?.gradient ?? 0) / Math.sqrt(12),
  );
};

/**
 * Beam hardening and scatter make voids paler, the more material surrounds them; beside a face this appears as a level
 * above that of the part. With a measured line integral of a L − b L², the centre of a disc is darker than its rim by
 * 1.27 b L / a, and a void lacks 2 b L / a of its contrast. In simulated scans of aluminium and steel a void lacks 2.2
 * times the offset at one level, 3 to 7 times that at local levels, which have followed part of it, and 5 to 9 times if
 * hardening is known to remain. As a standard uncertainty:
 */
const paleOfOffset = { global: 2.2, local: 4, hardened: 5 };
const findPaleness = (quality: AnalysisContext['judged'], isLevelled: boolean): number => {
  const isHardened = quality?.viewDoubts?.includes('HARDENING_LEFT') ?? false;
  return paleOfOffset[isHardened ? 'hardened' : isLevelled ? 'local' : 'global'];
};
/**
 * Share of the inward shift of edges by blur in the radiographs that counts as a standard uncertainty for a void's
 * edge. It is less than for the part's own edges because a void darkens a ray only a little.
 */
const seenInVoids = 0.1;

/**
 * Error, in voxels, of a void on the axis of rotation divided by the strongest ring as a share of the contrast: 143 to
 * 184 in six simulated scans with pixel errors of 0.5 to 3 %. Rings above a tenth were not simulated.
 */
const axisScatter = { perRing: 150, most: 0.1 };

/**
 * How far the mean of air lies above its peak, as a share of the contrast, when the noise is cut off at the lowest grey
 * value. The mid-level beside the edges rises by half of that, which makes no void paler. A void itself rises by about
 * half, as a sum over its voxels, because those at its edge are too bright to be cut off.
 */
function findRaisedShare(
  { range: [lowest] }: Pick<VolumeInput, 'range'>,
  { air, material }: GreyLevels,
  quality: AnalysisContext['judged'],
): number {
  // Where air itself is cut off, none of its noise remains.
  if (!quality?.contrastToNoise || quality.isAirCut) return 0;
  return findRaised(air, (material - air) / quality.contrastToNoise, lowest) / (material - air);
}

/** Inputs for integrating the volumes of closed voids. */
export function describeShells(
  source: VolumeInput,
  levels: GreyLevels,
  levelled: ReturnType<typeof putOnScale> | null,
  { judged: quality, doubts }: Pick<AnalysisContext, 'judged' | 'doubts'>,
  { levelOffset }: { levelOffset: number | null },
) {
  const raisedShare = levelled ? 0 : findRaisedShare(source, levels, quality);
  // In a part that fills the scan, air is the content of the widest voids: they are as pale as it, and its grey value
  // was read no farther from their edges.
  const isFilled = quality?.isFilled ?? false;
  // A histogram peak distinguishes it from bright streaks. Local levels have a scale of their own, without a peak.
  const denser = levelled ? null : inclusionLevel(source.histogram, levels);
  const paleShare = Math.hypot(
    levelled ? 0 : findAirError(quality),
    isFilled ? 0 : findPaleness(quality, levelled !== null) * Math.abs((levelOffset ?? 0) - raisedShare / 2),
    raisedShare / 2,
  );
  return {
    source,
    levels: levelled ? levelled.local : levels,
    field: levelled?.local.field ?? null,
    blur: quality?.blurVoxels ?? usualBlur,
    levelSpread: levelled ? levelSpread.local : levelSpread.global,
    levelError: Math.hypot(
      levelled ? levelErrorShare.local * findUnfollowed(levelled.local) : 0,
      levelErrorShare.rings * (quality?.rings ?? 0),
    ),
    paleShare,
    // Haze is brightest beside the material, by twice the rise of the mid-level there; a rim may be that much paler
    // than its middle.
    rimShare: hasDoubt(doubts, 'SCAN_HAZE') ? 2 * Math.abs(levelOffset ?? 0) : 0,
    axis: {
      at: [(source.grid.dimensions[0] - 1) / 2, (source.grid.dimensions[1] - 1) / 2] as const,
      scatter: axisScatter.perRing * Math.min(axisScatter.most, quality?.rings ?? 0),
    },
    inward: quality ? findEdgeShift(quality) : 0,
    denserFrom: denser && (denser.level - levels.air) / (levels.material - levels.air),
    noise: quality?.contrastToNoise && isBehindFilter(quality) ? 1 / quality.contrastToNoise : null,
  };
}

/** Standard uncertainty, in voxels, of the edges of voids by blur in the radiographs and by a curve in the grey values. */
const findEdgeShift = (quality: ScanQuality): number =>
  Math.hypot(
    seenInVoids * (findInward(quality) ?? 0),
    curveShare *
      Math.sqrt(2 * Math.PI) *
      findSpread(quality.blurVoxels ?? usualBlur) *
      findCurveShift(quality),
  );

/** Whether noise hides voids, which are then detected behind a median filter. */
export const isBehindFilter = (quality: AnalysisContext['judged']): boolean =>
  quality?.contrastToNoise != null && hidesVoids(quality.contrastToNoise, quality.noiseGrain);

/** A shell follows a slope as well as local levels do, which leaves only the curvature. */
const findUnfollowed = (local: ReturnType<typeof putOnScale>['local']): number =>
  Math.min(local.contrastSpread, findBend(local));

/** Standard deviation of an edge including the voxel's own length. */
const findSpread = (blur: number): number => Math.hypot(blur, Math.sqrt(1 / 12));

/**
 * Pore diameter in voxels, slightly above the one where half of 2000 simulated balls were found, for blurs of 0.3 to
 * 1.2. The centre of a ball with a diameter of 3.08 deviations of its blurred edge falls to half of the contrast; sharp
 * pores must fill voxels, or half of the filter.
 */
const findHalfFound = (blur: number, isFiltered: boolean): number =>
  Math.hypot(3.08 * findSpread(blur), isFiltered ? 3.4 : 1.8);
/** Noise as a share of the contrast below which small pores are distinct from it. */
const clearOfNoise = 0.1;
/**
 * Least distance, in voxels, between the size of pores that leave a voxel below half of the contrast and the detection
 * limit: whether a small pore is visible depends on its position by half of this.
 */
const clearOfLimit = 0.4;

/**
 * What is known about voids that were not found.
 * @param minMm smaller ones were excluded on request
 */
export const describeVoidSearch = (
  { judged: quality, doubts }: Pick<AnalysisContext, 'judged' | 'doubts'>,
  { commonShare, tooSmall }: Pick<DefectGroup, 'commonShare' | 'tooSmall'>,
  edgeMm: number,
  minMm: number,
) => {
  const blur = quality?.blurVoxels ?? usualBlur;
  const isFiltered = isBehindFilter(quality);
  const [seen, limit] = [findSeenDiameter(0.5, findSpread(blur)), findHalfFound(blur, isFiltered)];
  const isNoiseKnown = !isFiltered && (quality?.contrastToNoise ?? 0) >= 1 / clearOfNoise;
  // Mean volume of balls with diameters evenly distributed between the two sizes.
  const meanVoxels = ((Math.PI / 24) * (limit ** 4 - seen ** 4)) / (limit - seen);
  return {
    commonShare,
    minMm,
    tooSmall:
      isNoiseKnown && limit - seen >= clearOfLimit
        ? { count: tooSmall, volumeMm3: tooSmall * meanVoxels * edgeMm ** 3, fromMm: seen * edgeMm }
        : null,
    isFiltered,
    limitMm: limit * edgeMm,
    isBlurred: hasDoubt(doubts, 'SCAN_BLUR'),
  };
};

/** Spots darker than the material by this share of the contrast and by this many deviations of the noise are pores. */
const faintest = { share: 0.2, deviations: 5 };

/**
 * How to search for pores below the detection limit; null when noise or an unjudged scan hides them.
 * @param noiseShare deep in the material, as a share of the contrast
 */
export function describeSpots({ judged: quality }: Pick<AnalysisContext, 'judged'>, noiseShare: number) {
  if (!quality?.contrastToNoise || isBehindFilter(quality)) return null;
  const noise = Math.max(noiseShare, 1 / quality.contrastToNoise);
  if (noise > clearOfNoise) return null;
  const share = Math.max(faintest.share, faintest.deviations * noise);
  const blur = quality.blurVoxels ?? usualBlur;
  return { share, deviation: findSpread(blur), limitVoxels: findHalfFound(blur, false) };
}

const hasDoubt = (doubts: AnalysisContext['doubts'], code: WarningCode) =>
  doubts.some((doubt) => doubt.code === code);

/**
 * Standard uncertainty (k = 1) of the part's volume when only the level is known: the level's offset beside the edges
 * moves an edge with Gaussian blur by √(2π) of its deviation per unit of contrast.
 */
export function findByLevel(
  { areaMm2, levelOffset }: { areaMm2: number; levelOffset: number | null },
  quality: AnalysisContext['judged'],
  { voxelSizeMm }: Grid,
): number {
  const edge = findSpread(quality?.blurVoxels ?? usualBlur);
  const share = Math.max(minUncertainty, Math.abs(levelOffset ?? 0));
  return areaMm2 * Math.sqrt(2 * Math.PI) * edge * share * meanEdge(voxelSizeMm);
}
