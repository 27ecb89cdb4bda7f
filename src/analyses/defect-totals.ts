/** Totals over the defects of a part, such as porosity, with their uncertainties and warnings. */
import type { BorderRule } from '#contract/analyses/integrity.ts';
import { formatQuantity } from '#contract/base/format-number.ts';
import type { Uncertainty } from '#contract/metadata/uncertainty.ts';
import type { Warning } from '#contract/metadata/warning.ts';
import type { RegionSide } from '#kernels/integrity/cut-voids.ts';
import type { Defect } from '#kernels/integrity/describe-defect.ts';
import type { Hollows } from '#kernels/integrity/hollows.ts';
import type { FilledVoids } from '#kernels/integrity/measure-group.ts';
import type { NumberedDefect } from './defect-files.ts';
import { expand } from './expand-uncertainty.ts';
import { closedVoidNumbers } from './pale-voids.ts';
import { type SurfaceDoubt, surfaceWarnings } from './volume-surface.ts';

const distributionBins = 20;
/**
 * Pores smaller than this multiple of the detection limit are used to estimate the density of diameters at the limit.
 * Their weight falls linearly with size (a boundary kernel for density estimation).
 */
const nearLimit = 1.5;
const weighNear = (perLimit: number): number =>
  2 * Math.min(1, Math.max(0, (nearLimit - perLimit) / (nearLimit - 1)));
/**
 * Known missing volume is not corrected; it counts with this share as a standard uncertainty, so the interval extends
 * to 1.3 times it.
 */
const leftShare = 0.65;
/** If no pore was found, there may still be undetected ones: half a pore counts (Jeffreys' prior of a count). */
const ofNone = 0.5;

/**
 * Whether a defect counts under the rule for defects cut by the border. Adjacent regions share faces, and each region
 * owns its lower ones, so that a defect cut by a face counts once (the brick rule of stereology,
 * https://stereology.info/?p=133).
 */
export const isCounted = ({ cutAt }: Defect, rule: BorderRule): boolean =>
  cutAt === null || rule === 'include' || (rule === 'lowerSides' && !cutAt.includes('+'));

const half = ({ volumeBandMm3: [low, high] }: NumberedDefect) => (high - low) / 2;

/** What is known about the search for voids besides the volume of each. */
interface VoidSearch {
  /** share of the variance of single voids that is common to all of them */
  commonShare: number;
  /** diameter below which at most half of the voids are found; null when missed ones do not matter */
  limitMm: number | null;
  /**
   * candidates that were too small or too faint to count, with their volume, and the diameter from which half of the
   * voids are candidates; null when noise leaves candidates too
   */
  tooSmall: { count: number; volumeMm3: number; fromMm: number } | null;
  /** search behind a noise filter, which removes all small voids, so the found ones say nothing about the missing */
  isFiltered: boolean;
  /** smaller voids were excluded on request and count nowhere */
  minMm: number;
  /** edges are blurred over several voxels, so flat voids may have vanished completely */
  isBlurred: boolean;
}

/**
 * Standard uncertainty (k = 1) in mm³ from pores below the detection limit. If sizes extend down to the limit, they are
 * assumed to continue below it: with the density at the limit, n pores have diameters evenly distributed from 0. Their
 * volume is n/4 of a pore at the limit and scatters by √(n/7) of it (moments of the cube of a uniform diameter, Poisson
 * counts). Where the distribution ends between 0 and the limit is unknown, so anything from none to all of it is
 * equally likely. Larger pores carry no information on this.
 */
function findMissed(voids: readonly NumberedDefect[], { limitMm, tooSmall, minMm }: VoidSearch): number {
  if (limitMm === null) return 0;
  const sizes = voids
    .filter(({ kind, cutAt, gapLike }) => kind === 'porosity' && cutAt === null && !gapLike)
    .map(({ equivalentDiameterMm }) => equivalentDiameterMm);
  /** @param added weight of candidates between this size and the limit */
  const findBelow = (maxMm: number, added: number) => {
    const near = sizes.reduce((sum, sizeMm) => sum + weighNear(sizeMm / maxMm), added);
    const below = (voids.length === 0 ? Math.max(ofNone, added) : near) / (nearLimit - 1);
    const ofMost = Math.min(1, minMm / maxMm);
    const mean = (below / 4) * (1 - ofMost ** 4);
    const variance = (below / 7) * (1 - ofMost ** 7);
    return (Math.PI / 6) * maxMm ** 3 * Math.sqrt(mean ** 2 / 3 + variance / 2);
  };
  if (!tooSmall || tooSmall.fromMm >= limitMm) return findBelow(limitMm, 0);
  const { count, volumeMm3, fromMm } = tooSmall;
  const weight = weighNear((fromMm + limitMm) / 2 / fromMm);
  return Math.hypot(findBelow(fromMm, weight * count), leftShare * volumeMm3);
}

/** Smallest standard uncertainty from undetected pores, as a share of the closed voids, that affects their interval. */
const minMissedShare = 0.005;
export function mayMissPores(defects: readonly NumberedDefect[], search: VoidSearch): boolean {
  const closed = defects.filter(
    ({ kind, cutAt, surfaceConnected }) => kind !== 'inclusion' && cutAt === null && !surfaceConnected,
  );
  const volumeMm3 = closed.reduce((sum, each) => sum + each.volumeMm3, 0);
  return closed.length > 0 && findMissed(closed, search) > minMissedShare * volumeMm3;
}

/**
 * Expanded uncertainty (k = 2) of the total volume of several voids, or of its share of the part.
 * @param partShare relative standard uncertainty (k = 1) of the part's volume
 */
function addUncertainties(
  voids: readonly NumberedDefect[],
  search: VoidSearch,
  { perMm3, partShare }: { perMm3: number; partShare: number } = { perMm3: 1, partShare: 0 },
): Uncertainty {
  const { commonShare } = search;
  const squares = voids.reduce((sum, defect) => sum + half(defect) ** 2, 0);
  const amounts = voids.reduce((sum, defect) => sum + half(defect), 0);
  const [single, common] = [
    Math.sqrt((1 - commonShare) * squares) * perMm3,
    Math.sqrt(commonShare) * amounts * perMm3,
  ];
  const volumeMm3 = voids.reduce((sum, defect) => sum + defect.volumeMm3, 0);
  const missed = search.isFiltered ? 0 : findMissed(voids, search) * perMm3;
  return expand({
    'sound material around each void': single / 2,
    'levels of air and material': common / 2,
    ...(missed > 0 ? { 'pores below the detection limit': missed } : {}),
    ...(partShare > 0 ? { 'volume of the part': partShare * volumeMm3 * perMm3 } : {}),
  });
}

interface MeasuredPart {
  volumeMm3: number;
  /** null when the scan does not show it */
  volumeUncertainty: Uncertainty | null;
  /** standard uncertainty (k = 1) in mm³ from the level alone */
  byLevelMm3: number;
}

/** Behind a filter, porosity has no interval if this share of it or more may be missed. */
const maxMissedShare = 0.25;

/** @param inclusions faint inclusions have neither a known volume nor a known largest one */
export function totals(
  defects: readonly NumberedDefect[],
  { volumeMm3: materialVolumeMm3, volumeUncertainty, byLevelMm3 }: MeasuredPart,
  search: VoidSearch,
  inclusions: { isFaint: boolean } | null,
) {
  const voids = defects.filter(({ kind }) => kind !== 'inclusion');
  const cut = voids.filter(({ cutAt }) => cutAt !== null);
  const whole = voids.filter(({ cutAt }) => cutAt === null);
  const open = whole.filter(({ surfaceConnected }) => surfaceConnected);
  const closed = whole.filter(({ surfaceConnected }) => !surfaceConnected);
  const sum = (some: readonly NumberedDefect[]) =>
    some.reduce((total, { volumeMm3 }) => total + volumeMm3, 0);
  const partVolumeMm3 = materialVolumeMm3 + sum(voids);
  const perMm3 = partVolumeMm3 > 0 ? 1 / partVolumeMm3 : 0;
  const ofPart = volumeUncertainty ? volumeUncertainty.expanded / 2 : byLevelMm3;
  const share = (some: readonly NumberedDefect[], own: VoidSearch = search) =>
    addUncertainties(some, own, { perMm3, partShare: ofPart * perMm3 });
  const ofClosed = share(closed);
  // The filter takes away walls of a voxel or two between a closed void and the outside or an open void.
  const mayBeClosed =
    search.isFiltered && sum(open.filter(({ gapLike }) => !gapLike)) * perMm3 > ofClosed.expanded;
  const [largest] = defects;
  const isLargestKnown = !inclusions?.isFaint || voids.length === defects.length;
  const isOpen = search.isFiltered && 2 * findMissed(voids, search) >= maxMissedShare * sum(voids);
  return {
    isOpen,
    materialVolumeMm3,
    voidVolumeMm3: sum(voids),
    porosity: sum(voids) * perMm3,
    closedPorosity: sum(closed) * perMm3,
    openPorosity: sum(open) * perMm3,
    cutPorosity: sum(cut) * perMm3,
    defectCount: defects.length,
    cutCount: defects.filter(({ cutAt }) => cutAt !== null).length,
    surfaceConnectedCount: defects.filter((defect) => defect.surfaceConnected).length,
    belowDetectionLimitCount: defects.filter((defect) => defect.belowDetectionLimit).length,
    largestVolumeMm3: largest?.volumeMm3 ?? 0,
    inclusionVolumeMm3: sum(defects.filter(({ kind }) => kind === 'inclusion')),
    uncertainties: {
      voidVolumeMm3: addUncertainties(voids, search),
      porosity: share(voids),
      ...((search.isBlurred && closed.length === 0) || mayBeClosed ? {} : { closedPorosity: ofClosed }),
      ...(mayBeClosed ? {} : { openPorosity: share(open) }),
      cutPorosity: share(cut, { ...search, limitMm: null }),
      ...(largest && isLargestKnown
        ? { largestVolumeMm3: addUncertainties([largest], { ...search, limitMm: null }) }
        : {}),
    },
  };
}

/**
 * Warning for a part that continues beyond the analysed box. A region was chosen on purpose and is judged as such; the
 * rest of a part outside the field of view is unknown and may contain more defects.
 * @param byScan the part is cut by the end of the scan
 */
export function warnOfCut(sides: readonly RegionSide[], byScan: boolean, rule: BorderRule) {
  if (sides.length === 0) return [];
  const where = `The part continues beyond the ${byScan ? 'scan' : 'region'} at ${sides.join(', ')}`;
  const whole: SurfaceDoubt = {
    code: 'SCAN_CUT',
    message: `${where}: volumes and counts are of what lies within, and ${ruleWords[rule]}.`,
    ...(byScan ? { invalidates: true } : {}),
  };
  const share: SurfaceDoubt = {
    code: 'SCAN_CUT',
    message: `${where}: porosity is that of what lies within.${byScan ? ' That of the whole part is not known. To judge what lies within, choose a region that ends before the border of the scan.' : ''}`,
    ...(byScan ? { invalidates: true } : {}),
  };
  const volumes = ['materialVolumeMm3', 'voidVolumeMm3', 'inclusionVolumeMm3', 'largestVolumeMm3'] as const;
  return [
    ...surfaceWarnings([whole], ...volumes, 'defectCount', 'surfaceConnectedCount'),
    ...surfaceWarnings([share], 'porosity', 'closedPorosity', 'openPorosity'),
  ];
}

/** The ball that closes a cut void sinks into it and leaves less than this share of it outside. */
const minAirShare = 0.05;
/** Warning for air that touches the border only where that cuts the part, and counts as outside. */
export function warnOfCutAir(
  { doubtfulVoxels }: { doubtfulVoxels: number },
  { voxelSizeMm }: { voxelSizeMm: readonly number[] },
  { voidVolumeMm3, materialVolumeMm3 }: { voidVolumeMm3: number; materialVolumeMm3: number },
) {
  const airMm3 = voxelSizeMm.reduce((product, edge) => product * edge, doubtfulVoxels);
  const allMm3 = voidVolumeMm3 + airMm3;
  if (airMm3 <= minAirShare * allMm3) return [];
  const share = formatQuantity((100 * allMm3) / (materialVolumeMm3 + allMm3), '%');
  const doubt: SurfaceDoubt = {
    code: 'SCAN_CUT',
    message: `${formatQuantity(airMm3, 'mm³')} of air, which the border cuts out of its surroundings, count as outside. If they belong to voids, porosity is up to ${share}: choose a region that reaches beyond these voids, or beyond the part.`,
    invalidates: true,
  };
  return surfaceWarnings([doubt], ...openVoidNumbers, 'closedPorosity', 'cutPorosity');
}

/** A smaller share of the volume of all open voids affects no number noticeably. */
const minGapShare = 0.02;

/** Warning for partially filled voids. @param voidsMm3 volume of all voids */
export function warnOfFilled(filled: FilledVoids | null, voidsMm3: number) {
  if (!filled || filled.volumeMm3 < minGapShare * voidsMm3) return [];
  const [least, most] = filled.emptiness.map((share) => Math.round(100 * (1 - share)));
  const greys = least === most ? `${most} %` : `${most} to ${least} %`;
  const doubt: SurfaceDoubt = {
    code: 'VOIDS_FILLED',
    message: `${filled.count === 1 ? 'One closed void is' : `${filled.count} closed voids are`} not empty: the grey value in the middle lies ${greys} of the way from air to material, as resin, powder or scatter make it. Volumes are of whole voids, whatever fills them; what is filled by more than half of the contrast may be missed.`,
  };
  return surfaceWarnings([doubt], ...closedVoidNumbers);
}

/** Measures that include open voids. */
const openVoidNumbers = [
  'porosity',
  'openPorosity',
  'voidVolumeMm3',
  'largestVolumeMm3',
  'defectCount',
  'surfaceConnectedCount',
] as const;

/** Warning for open voids that look like intended shape of the part. */
export function warnOfGaps(defects: readonly NumberedDefect[]) {
  const open = defects.filter(({ surfaceConnected }) => surfaceConnected);
  const gaps = open.filter(({ gapLike }) => gapLike);
  const sum = (some: readonly NumberedDefect[]) =>
    some.reduce((total, { volumeMm3 }) => total + volumeMm3, 0);
  if (gaps.length === 0 || sum(gaps) < minGapShare * sum(open)) return [];
  const doubt: SurfaceDoubt = {
    code: 'GAPS_COUNTED',
    message: `${gaps.length} of ${open.length} surface-connected hollows look like gaps, grooves or bores of the part’s own shape, and count as defects. Leave surface-connected defects out, or set a smaller widest opening.`,
    invalidates: true,
  };
  return surfaceWarnings([doubt], ...openVoidNumbers);
}

/** Warning for hollows in the surface that may be voids or intended shape. */
export function warnOfHollows(hollows: Hollows | null, voidsMm3: number, materialMm3: number) {
  if (!hollows) return [];
  const { counted, left, isWide } = hollows;
  const allMm3 = voidsMm3 + left.volumeMm3;
  const formatShare = (mm3: number) => formatQuantity((100 * mm3) / (materialMm3 + allMm3), '%');
  const say = (message: string): SurfaceDoubt => ({ code: 'SURFACE_HOLLOWS', message, invalidates: true });
  const doubts = [
    ...(left.volumeMm3 > minGapShare * allMm3
      ? [
          say(
            `${name(left.count)} ${isWide ? 'shallower' : 'wider'} than the widest opening and counted in part or not at all. If voids: porosity is up to ${formatShare(allMm3)}; set a ${isWide ? 'smaller' : 'wider'} widest opening.`,
          ),
        ]
      : []),
    ...(counted.volumeMm3 > minGapShare * allMm3
      ? [
          say(
            `${name(counted.count)} shallower than the widest opening and counted as open voids. If the part’s own shape: porosity is ${formatShare(Math.max(0, voidsMm3 - counted.volumeMm3))}; leave surface-connected defects out.`,
          ),
        ]
      : []),
  ];
  return surfaceWarnings(doubts, ...openVoidNumbers);
}

/**
 * Where an open hollow ends depends on the nominal shape, so the uncertainty of its volume is unknown.
 * @param isOpen a filter removed more pores than the found ones indicate
 */
export function keepKnown(
  all: ReturnType<typeof totals>['uncertainties'],
  hollowDoubts: readonly Warning[],
  isOpen: boolean,
): Record<string, Uncertainty> {
  const { largestVolumeMm3 } = all;
  if (isOpen) return largestVolumeMm3 && hollowDoubts.length === 0 ? { largestVolumeMm3 } : {};
  if (hollowDoubts.length === 0) return all;
  const { closedPorosity, cutPorosity } = all;
  return { ...(closedPorosity ? { closedPorosity } : {}), cutPorosity };
}

/** The uncertainty of the material volume does not depend on that of the voids. */
export const addMaterial = (
  { volumeUncertainty }: Pick<MeasuredPart, 'volumeUncertainty'>,
  ofVoids: Record<string, Uncertainty>,
): Record<string, Uncertainty> => ({
  ...(volumeUncertainty ? { materialVolumeMm3: volumeUncertainty } : {}),
  ...ofVoids,
});

const name = (count: number): string =>
  count === 1 ? 'One hollow of the surface is' : `${count} hollows of the surface are`;

const ruleWords: Record<BorderRule, string> = {
  include: 'defects that its border cuts count with what lies within',
  lowerSides: 'of the defects that its border cuts, those at x+, y+ and z+ are left out',
  exclude: 'defects that its border cuts are left out',
};

/** Counts and volumes by equivalent diameter, in equal bins from 0; null without defects. */
export function sizeDistribution(defects: readonly NumberedDefect[]) {
  if (defects.length === 0) return null;
  const largest = defects.reduce((most, defect) => Math.max(most, defect.equivalentDiameterMm), 0);
  const edgesMm = Array.from({ length: distributionBins + 1 }, (_, i) => (largest * i) / distributionBins);
  const bins = Array.from({ length: distributionBins }, () => ({ count: 0, volumeMm3: 0 }));
  for (const { equivalentDiameterMm, volumeMm3 } of defects) {
    const bin = bins[Math.floor((equivalentDiameterMm / largest) * distributionBins)] ?? bins.at(-1);
    if (!bin) continue;
    bin.count++;
    bin.volumeMm3 += volumeMm3;
  }
  return {
    edgesMm,
    counts: bins.map(({ count }) => count),
    volumesMm3: bins.map((bin) => bin.volumeMm3),
  };
}
