/** What the defects of a part come to together. */
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
 * Pores of less than this many times the detection limit tell how many there are below it: by how dense their diameters lie at the limit
 * itself, where each counts the less, the larger it is (a kernel for the edge of a range, which falls in a straight line).
 */
const nearLimit = 1.5;
const weighNear = (perLimit: number): number =>
  2 * Math.min(1, Math.max(0, (nearLimit - perLimit) / (nearLimit - 1)));
/** What is known to be missing is left so, and counts so much of itself as a standard uncertainty: the interval reaches to 1.3 of it. */
const leftShare = 0.65;
/** Where nothing was found there may be something too small to be: half a pore counts, as in Jeffreys' prior of a count. */
const ofNone = 0.5;

/**
 * Whether a defect counts under a rule for those that the border cuts. Of regions that lie side by side, each has some of
 * the lower sides: there a defect that a border parts counts once (the brick of stereology, https://stereology.info/?p=133).
 */
export const isCounted = ({ cutAt }: Defect, rule: BorderRule): boolean =>
  cutAt === null || rule === 'include' || (rule === 'lowerSides' && !cutAt.includes('+'));

const half = ({ volumeBandMm3: [low, high] }: NumberedDefect) => (high - low) / 2;

/** What is known of voids beside each one's own volume. */
interface VoidSearch {
  /** of the variance of single voids, what is the same for all */
  commonShare: number;
  /** diameter below which about half are found, or fewer; null where what is missed is of no account */
  limitMm: number | null;
  /** how many left voxels, but too few to count, and the diameter from which on half of them do; null where noise does as well */
  tooSmall: { count: number; fromMm: number } | null;
  /** behind a filter, which takes the smaller ones to the last: how many there were, those that are left don't tell */
  isFiltered: boolean;
  /** smaller ones were left out on purpose, and are in no number */
  leastMm: number;
  /** edges are blurred over several voxels: of flat voids as wide as the largest nothing may be left */
  isBlurred: boolean;
}

/**
 * Standard uncertainty (k = 1), in mm³, by pores below the detection limit. Sizes that reach down to the limit go on below it: by
 * how densely they lie at it, n would lie below at diameters that are evenly spread from 0. Their volumes come to n/4 of a
 * pore at the limit, and scatter by √(n/7) of it (moments of the cube of an even diameter; counts as Poisson's). Where the sizes end
 * between the limit and 0 isn't known: from nothing to all of it is as likely. Larger pores tell of none.
 */
function findMissed(voids: readonly NumberedDefect[], { limitMm, tooSmall, leastMm }: VoidSearch): number {
  if (limitMm === null) return 0;
  const near =
    voids.length === 0
      ? ofNone
      : voids
          .filter(({ kind, cutAt, gapLike }) => kind === 'porosity' && cutAt === null && !gapLike)
          .reduce((sum, { equivalentDiameterMm }) => sum + weighNear(equivalentDiameterMm / limitMm), 0);
  const density = near / (nearLimit - 1) / limitMm;
  const findBelow = (mostMm: number) => {
    const ofMost = Math.min(1, leastMm / mostMm);
    const below = density * mostMm;
    const mean = (below / 4) * (1 - ofMost ** 4);
    const variance = (below / 7) * (1 - ofMost ** 7);
    return (Math.PI / 6) * mostMm ** 3 * Math.sqrt(mean ** 2 / 3 + variance / 2);
  };
  const unseen = findBelow(limitMm);
  if (!tooSmall || tooSmall.fromMm >= limitMm) return unseen;
  const { count, fromMm } = tooSmall;
  // The mean of as many balls whose diameters are evenly spread between both.
  const seen = (count * (Math.PI / 24) * (limitMm ** 4 - fromMm ** 4)) / (limitMm - fromMm);
  return Math.min(unseen, Math.hypot(findBelow(fromMm), leftShare * seen));
}

/**
 * Expanded uncertainty (k = 2) of the volume of several voids together, or of what share of the part they are.
 * @param partShare k = 1 of the part's volume, as a share of it
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
  /** null where the scan does not tell */
  volumeUncertainty: Uncertainty | null;
  /** k = 1 of it in mm³, as far as the level of its surface tells */
  byLevelMm3: number;
}

/** Behind a filter nothing is known of porosity where, by those near the limit, as much of it may be missed, as a share. */
const mostMissed = 0.25;

/**
 * @param inclusions of faint ones no grey value tells the volumes, nor which defect is the largest
 */
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
  const [largest] = defects;
  const isLargestKnown = !inclusions?.isFaint || voids.length === defects.length;
  const isOpen = search.isFiltered && 2 * findMissed(voids, search) >= mostMissed * sum(voids);
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
      ...(search.isBlurred && closed.length === 0 ? {} : { closedPorosity: share(closed) }),
      openPorosity: share(open),
      cutPorosity: share(cut, { ...search, limitMm: null }),
      ...(largest && isLargestKnown
        ? { largestVolumeMm3: addUncertainties([largest], { ...search, limitMm: null }) }
        : {}),
    },
  };
}

/**
 * What is said of a part that goes on beyond what was looked at. A region is a piece that was chosen, and judged as such; what the field
 * of view leaves out of a part was not, and may hold more.
 * @param byScan the end of the scan cuts it
 */
export function warnOfCut(sides: readonly RegionSide[], byScan: boolean, rule: BorderRule) {
  if (sides.length === 0) return [];
  const where = `The part goes on beyond the ${byScan ? 'scan' : 'region'} at ${sides.join(', ')}`;
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

/** Less than this share of all open voids, in volume, moves no number that somebody would judge by. */
const leastGapShare = 0.02;

/** What is said where voids are found that something fills in part. @param voidsMm3 of all voids together */
export function warnOfFilled(filled: FilledVoids | null, voidsMm3: number) {
  if (!filled || filled.volumeMm3 < leastGapShare * voidsMm3) return [];
  const [least, most] = filled.emptiness.map((share) => Math.round(100 * (1 - share)));
  const greys = least === most ? `${most} %` : `${most} to ${least} %`;
  const doubt: SurfaceDoubt = {
    code: 'VOIDS_FILLED',
    message: `${filled.count === 1 ? 'One closed void is' : `${filled.count} closed voids are`} not empty: the grey value in the middle lies ${greys} of the way from air to material, as resin, powder or scatter make it. Volumes are of whole voids, whatever fills them; what is filled by more than half of the contrast may be missed.`,
  };
  return surfaceWarnings([doubt], ...closedVoidNumbers);
}

/** The numbers that open voids count in. */
const openVoidNumbers = [
  'porosity',
  'openPorosity',
  'voidVolumeMm3',
  'largestVolumeMm3',
  'defectCount',
  'surfaceConnectedCount',
] as const;

/** What is said where open voids look like the part's own shape. */
export function warnOfGaps(defects: readonly NumberedDefect[]) {
  const open = defects.filter(({ surfaceConnected }) => surfaceConnected);
  const gaps = open.filter(({ gapLike }) => gapLike);
  const sum = (some: readonly NumberedDefect[]) =>
    some.reduce((total, { volumeMm3 }) => total + volumeMm3, 0);
  if (gaps.length === 0 || sum(gaps) < leastGapShare * sum(open)) return [];
  const doubt: SurfaceDoubt = {
    code: 'GAPS_COUNTED',
    message: `${gaps.length} of ${open.length} surface-connected hollows look like gaps, grooves or bores of the part’s own shape, and count as defects. Leave surface-connected defects out, or set a smaller widest opening.`,
    invalidates: true,
  };
  return surfaceWarnings([doubt], ...openVoidNumbers);
}

/** What is said where the surface has hollows that may be voids, or its own shape. */
export function warnOfHollows(hollows: Hollows | null, voidsMm3: number, materialMm3: number) {
  if (!hollows) return [];
  const { counted, left, isWide } = hollows;
  const allMm3 = voidsMm3 + left.volumeMm3;
  const formatShare = (mm3: number) => formatQuantity((100 * mm3) / (materialMm3 + allMm3), '%');
  const say = (message: string): SurfaceDoubt => ({ code: 'SURFACE_HOLLOWS', message, invalidates: true });
  const doubts = [
    ...(left.volumeMm3 > leastGapShare * allMm3
      ? [
          say(
            `${name(left.count)} ${isWide ? 'shallower' : 'wider'} than the widest opening and counted in part or not at all. If voids: porosity is up to ${formatShare(allMm3)}; set a ${isWide ? 'smaller' : 'wider'} widest opening.`,
          ),
        ]
      : []),
    ...(counted.volumeMm3 > leastGapShare * allMm3
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
 * Where open hollows end is the part's nominal shape's to say: how far their volumes are off, nothing here tells.
 * @param isOpen a filter has taken more pores than those that were found tell
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

/** What is known of the part does not depend on what is known of its voids. */
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

/** Numbers and volumes by equivalent diameter, in equal steps from 0; null without defects. */
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
