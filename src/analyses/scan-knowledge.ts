/** What the analysis of integrity knows of a scan beside its grey values: what its voids' volumes may be off by, and what is missed of them. */
import type { WarningCode } from '#contract/metadata/warning.ts';
import type { Grid } from '#kernels/grid/volume.ts';
import type { GreyLevels } from '#kernels/integrity/measure-defects.ts';
import type { DefectGroup } from '#kernels/integrity/measure-group.ts';
import { hidesVoids } from '#kernels/quality/features.ts';
import { findRaised } from '#kernels/surface/surface-uncertainty.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';
import type { putOnScale } from './local-levels.ts';
import { findBend, findInward, meanEdge } from './surface-interval.ts';

/** The level may be off by as much as is least said of one for the whole scan. */
export const leastUncertainty = 0.02;

/** Of a scan whose blur isn't known, in voxels. */
export const usualBlur = 0.6;
/** Of a scan that wasn't judged, to its noise. */
const usualContrast = 10;
/**
 * How much the material's level differs from place to place, with and without a scale of local levels, and how far that
 * may be off: as a share of by how much they differ, and of the strongest ring. With one level the shell tells the material's; how
 * far that of air may be off counts with what a void holds of air: its own volume. As a share of the contrast, that is what bins of a
 * histogram leave open, of the noise a share (of clean and noisy scans the peak lay off by 0.012 to 0.02 of it), of a part that fills
 * the scan what is open of air in its widest pores (0.04 at k = 2), and of a background that
 * rises across the scan what an even spread over it deviates by.
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
 * What hardens the beam, or scatter, makes voids the paler, the more material is around them: beside a face it shows in how far
 * the level there lies above that of the part. With a measured line integral of a L − b L², the middle of a disc is darker than
 * its rim by 1.27 b L / a, and lacks 2 b L / a of its contrast; by simulated scans of aluminium and steel a void lacks 2.2
 * times the offset of one level, and 3 to 7 times that of local ones, which have followed a part of it; where hardening is known to
 * be left, 5 to 9 times. As a standard uncertainty:
 */
const paleOfOffset = { global: 2.2, local: 4, hardened: 5 };
const findPaleness = (quality: AnalysisContext['judged'], isLevelled: boolean): number => {
  const isHardened = quality?.viewDoubts?.includes('HARDENING_LEFT') ?? false;
  return paleOfOffset[isHardened ? 'hardened' : isLevelled ? 'local' : 'global'];
};
/**
 * Of the voxels that blur in the radiographs puts faces too far inside, as a standard uncertainty of a void's: beside the part's own
 * edges, a void darkens a ray by little.
 */
const seenInVoids = 0.1;

/**
 * Voxels by which the middle of rings is off as a void, over the strongest ring as a share of the contrast: of six simulated scans
 * with pixels that err by 0.5 to 3 % it was 143 to 184 times that. Nothing was simulated beyond a tenth.
 */
const axisScatter = { perRing: 150, most: 0.1 };

/**
 * By how much air is brighter in the mean than its peak, as a share of the contrast, where the lowest grey value cuts its noise off. The
 * middle between air and material beside the edges is brighter by half of that, which makes no void pale; a void itself is by about half,
 * as a sum over its voxels, of which those at its edge are too bright to be cut off.
 */
function findRaisedShare(
  { range: [lowest] }: Pick<VolumeInput, 'range'>,
  { air, material }: GreyLevels,
  quality: AnalysisContext['judged'],
): number {
  // Where air itself is cut off, nothing is left of its noise.
  if (!quality?.contrastToNoise || quality.isAirCut) return 0;
  return findRaised(air, (material - air) / quality.contrastToNoise, lowest) / (material - air);
}

/** What the volumes of closed voids are integrated from. */
export function describeShells(
  source: VolumeInput,
  levels: GreyLevels,
  levelled: ReturnType<typeof putOnScale> | null,
  { judged: quality, doubts }: Pick<AnalysisContext, 'judged' | 'doubts'>,
  { levelOffset }: { levelOffset: number | null },
) {
  const raisedShare = levelled ? 0 : findRaisedShare(source, levels, quality);
  // There air is what the widest voids hold: they are as pale as it, and no further from an edge than that its grey value is read.
  const isFilled = quality?.isFilled ?? false;
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
    // Haze is brightest beside the material, by twice what it raises the middle there by: so much paler may a rim be than its middle.
    rimShare: isSaid(doubts, 'SCAN_HAZE') ? 2 * Math.abs(levelOffset ?? 0) : 0,
    axis: {
      at: [(source.grid.dimensions[0] - 1) / 2, (source.grid.dimensions[1] - 1) / 2] as const,
      scatter: axisScatter.perRing * Math.min(axisScatter.most, quality?.rings ?? 0),
    },
    inward: seenInVoids * ((quality && findInward(quality)) ?? 0),
    noise: quality?.contrastToNoise && isBehindFilter(quality) ? 1 / quality.contrastToNoise : null,
  };
}

/** Whether noise hides voids, which are then looked for behind a median filter. */
export const isBehindFilter = (quality: AnalysisContext['judged']): boolean =>
  quality?.contrastToNoise != null && hidesVoids(quality.contrastToNoise, quality.noiseGrain);

/** A shell follows a slope as well as local levels do: those leave over what bends. */
const findUnfollowed = (local: ReturnType<typeof putOnScale>['local']): number =>
  Math.min(local.contrastSpread, findBend(local));

/**
 * Voxels across a pore: a little beyond where half are found of 2000 simulated balls, at blurs of 0.3 to 1.2. The middle of one that is
 * 3.08 deviations of its blurred edge across falls to half of the contrast; sharp ones have to fill voxels, or half of the filter.
 */
const findHalfFound = (blur: number, isFiltered: boolean): number =>
  Math.hypot(3.08 * Math.hypot(blur, Math.sqrt(1 / 12)), isFiltered ? 3.4 : 1.8);
/**
 * The same of pores that leave a single voxel below half of the contrast, by the blurred profile of balls whose middles lie anywhere
 * between voxels. It is no noise where that lies 5 deviations and more below the material.
 */
const findHalfSeen = (blur: number): number => Math.hypot(3.08 * Math.hypot(blur, Math.sqrt(1 / 12)), 0.9);
const clearOfNoise = 10;
/** Voxels between that size and the detection limit at least: whether a pore shows is open by half of it, by where its middle lies. */
const clearOfLimit = 0.4;

/**
 * What is known of voids that weren't found.
 * @param leastMm smaller ones were left out on purpose
 */
export const describeVoidSearch = (
  { judged: quality, doubts }: Pick<AnalysisContext, 'judged' | 'doubts'>,
  { commonShare, tooSmall }: Pick<DefectGroup, 'commonShare' | 'tooSmall'>,
  edgeMm: number,
  leastMm: number,
) => {
  const blur = quality?.blurVoxels ?? usualBlur;
  const isFiltered = isBehindFilter(quality);
  const [seen, limit] = [findHalfSeen(blur), findHalfFound(blur, isFiltered)];
  const isTold =
    !isFiltered && (quality?.contrastToNoise ?? 0) >= clearOfNoise && limit - seen >= clearOfLimit;
  return {
    commonShare,
    leastMm,
    tooSmall: isTold ? { count: tooSmall, fromMm: seen * edgeMm } : null,
    isFiltered,
    limitMm: limit * edgeMm,
    isBlurred: isSaid(doubts, 'SCAN_BLUR'),
  };
};

const isSaid = (doubts: AnalysisContext['doubts'], code: WarningCode) =>
  doubts.some((doubt) => doubt.code === code);

/**
 * k = 1 of the part's volume where what moves its surface isn't known but for the level: that is off by what it is beside the edges, and
 * an edge that a Gaussian has blurred is moved by √(2π) of its deviation for all of the contrast.
 */
export function findByLevel(
  { areaMm2, levelOffset }: { areaMm2: number; levelOffset: number | null },
  quality: AnalysisContext['judged'],
  { voxelSizeMm }: Grid,
): number {
  const edge = Math.hypot(quality?.blurVoxels ?? usualBlur, Math.sqrt(1 / 12));
  const share = Math.max(leastUncertainty, Math.abs(levelOffset ?? 0));
  return areaMm2 * Math.sqrt(2 * Math.PI) * edge * share * meanEdge(voxelSizeMm);
}
