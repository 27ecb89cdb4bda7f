/** Effects of a scan's quality on the numbers measured on it, in sentences. */
import { formatNumber } from '../base/format-number.ts';
import { type ScanQuality, viewDoubts } from '../metadata/scan-quality.ts';
import type { Warning, WarningCode } from '../metadata/warning.ts';
import { greyRules } from './grey-rules.ts';
import { partRules } from './part-rules.ts';
import { mark, onAll, onSurfaces, type RestsOn, refuse, resize, type ScanFinding } from './scan-finding.ts';
import { sliceRules } from './slice-rules.ts';
import { viewRules } from './view-rules.ts';

const rules = [...greyRules, ...sliceRules, ...partRules, ...viewRules];

/** All findings about a scan; none for a scan without contrast, on which nothing is measured. */
export const listFindings = (quality: ScanQuality | null): ScanFinding[] =>
  quality?.hasContrast ? rules.flatMap((rule) => rule(quality) ?? []) : [];

/**
 * @param codes codes of the volume's own warnings
 * @param edgesInwardVoxels estimate of the reconstruction; undefined when the volume was not reconstructed here
 */
export const addViewDoubts = (
  quality: ScanQuality,
  codes: readonly string[],
  edgesInwardVoxels?: number,
): ScanQuality => ({
  ...quality,
  viewDoubts: viewDoubts.filter((code) => codes.includes(code)),
  ...(edgesInwardVoxels === undefined ? {} : { edgesInwardVoxels }),
});

/** Findings that shift the whole surface by an amount the scan does not show. */
export const unknownShift: readonly WarningCode[] = [
  'SCAN_UNJUDGED',
  'SCAN_RINGS',
  'SCAN_BANDS',
  'SCAN_SATURATED',
  'SCAN_AIR_CUT',
  'SCAN_HAZE',
  'SCAN_GREY_STEPS',
  'SCAN_MATERIALS',
  'SCAN_LOST_SLICES',
  'SCAN_SLICES_MOVED',
  'SCAN_DOUBLE_EDGES',
  'SCAN_FEW_DEEP',
  'SCAN_SKIN',
  'SCAN_FILTERED',
];
/** Findings that shift it at some places only, or remove it there. */
export const shiftsPlaces: readonly WarningCode[] = ['SCAN_CUT', 'SCAN_THIN_WALLS', 'SCAN_NARROW_GAPS'];
/** Findings that local levels follow. */
export const followedShift: readonly WarningCode[] = ['SCAN_UNEVEN', 'SCAN_GRADIENT'];

/** Inward shift of edges by blur in the radiographs, in voxels; null when it is reported without an amount. */
export const findInward = ({ edgesInwardVoxels, viewDoubts: doubts = [] }: ScanQuality): number | null =>
  edgesInwardVoxels ?? (doubts.includes('EDGES_INWARD') ? null : 0);

/** Shift of the mid-level by a curve in the grey values, as a share of the contrast, where it is reported; otherwise 0. */
export const findCurveShift = (quality: ScanQuality): number =>
  listFindings(quality).some(({ code }) => code === 'SCAN_GREY_CURVE') ? Math.abs(quality.greyShift ?? 0) : 0;

/** A finding that shifts fitted faces by an unknown amount, so that measurements have no interval; null if there is none. */
export const findUnknownShift = (quality: ScanQuality): ScanFinding | null =>
  listFindings(quality).find(
    ({ code, effects }) =>
      unknownShift.includes(code) ||
      code === 'HARDENING_LEFT' ||
      (code === 'EDGES_INWARD' && findInward(quality) === null) ||
      (effects.surface?.invalidates && !shiftsPlaces.includes(code) && !followedShift.includes(code)),
  ) ?? null;

/** Local levels compensate cupping and shading, so these no longer invalidate a surface and the voids below it. */
export function followLevels(finding: ScanFinding): ScanFinding {
  if (!followedShift.includes(finding.code)) return finding;
  const followed = mark(
    'Local levels compensate this: the surface is midway between air and material at each place.',
  );
  const defects = resize('Each closed void is measured against the material around it.');
  return { ...finding, effects: { ...finding.effects, surface: followed, walls: followed, defects } };
}

/** When the material's grey value is known despite thin walls, the interval includes the effect of blur on them. */
export function explainThinWalls(finding: ScanFinding): ScanFinding {
  if (finding.code !== 'SCAN_THIN_WALLS') return finding;
  const surface = mark(
    'The grey value of the material is known; the interval includes the effect of blur on these walls.',
  );
  return { ...finding, effects: { ...finding.effects, surface } };
}

/** Replaced specks have one or two voxels; where smaller voids are left out as noise anyway, none is lost. */
export function forgiveSpecks(finding: ScanFinding): ScanFinding {
  const { defects, ...others } = finding.effects;
  return finding.code === 'SCAN_SPECKS' && !defects?.invalidates ? { ...finding, effects: others } : finding;
}

const noContrast =
  'The scan shows one grey value and noise: there is no part in it, the part has too few voxels to determine its grey value, or material fills all of it. To measure a part that is small in its scan, crop the scan to it or enter the grey value of the surface.';
const noAir =
  'Material fills the whole scan, without air around it, so there is no outer surface. Its pores are too few or too small to determine the grey value of air: to measure them, enter the grey value of the surface.';

/** Explains why nothing is measured on a scan without contrast. */
export const explainNoContrast = ({ isFilled }: ScanQuality): string => (isFilled ? noAir : noContrast);

/** Finding for a scan with too few voxels, or whose levels can't be determined. */
export const unjudged: ScanFinding = {
  code: 'SCAN_UNJUDGED',
  found:
    'The scan could not be judged: it has fewer than 28 voxels along an axis, or its grey values don’t separate into air and material.',
  effects: onAll(mark('It is unknown whether the scan is cut, uneven, noisy or too coarse for this number.')),
};

const oneLevelOff = 'One level was used for all of it, which may be off by some percent of the contrast.';
/** Finding when local levels were requested but can't be determined anywhere. */
export const oneLevel: ScanFinding = {
  code: 'SCAN_ONE_LEVEL',
  found: 'The part is nowhere thick enough to determine its grey value locally.',
  effects: {
    ...onAll(mark(oneLevelOff)),
    defects: resize(oneLevelOff),
  },
};

/**
 * Minimum distance of a surface's level from the material, as a share of the contrast, and from air, in standard deviations
 * of the noise. A level near midway is right at any noise, because noise is filtered before segmentation.
 */
const levelMargin = 0.2;
const airDeviations = 2;
const midway = 0.35;

/** Finding when the level of a surface or of voids lies too close to air or a material; otherwise null. */
export function checkLevel(quality: ScanQuality, level: number): ScanFinding | null {
  const { airGrey, contrastToNoise } = quality;
  const lightest = quality.materials[0]?.grey ?? Number.POSITIVE_INFINITY;
  const share = (level - airGrey) / (lightest - airGrey);
  const least = contrastToNoise === null ? 0 : Math.min(airDeviations / contrastToNoise, midway);
  if (share > least && share < 1 - levelMargin) return null;
  const grey = (value: number) => formatNumber(value, 0);
  const consequence =
    share >= 1 - levelMargin ? 'Material is taken for air.' : 'Air and noise are taken for material.';
  const effect = refuse(consequence);
  return {
    code: 'SCAN_LEVEL',
    found: `The level of ${grey(level)} lies next to ${share <= least ? `air (${grey(airGrey)})` : `the lightest material (${grey(lightest)})`}.`,
    effects: { ...onSurfaces(effect), defects: effect },
  };
}

/**
 * The warning of a finding for one analysis; none when it does not affect its numbers.
 * @param zeros paths of the measures that are 0
 */
export const warnAbout = (
  { code, found, effects }: ScanFinding,
  restsOn: RestsOn,
  measures: string[],
  zeros: readonly string[] = [],
): Warning[] => {
  const effect = effects[restsOn];
  if (!effect) return [];
  const { consequence, invalidates, unaffected = [], keepsZero = false } = effect;
  const touched = measures.filter(
    (path) => !unaffected.includes(path) && !(keepsZero && zeros.includes(path)),
  );
  return touched.length === 0
    ? []
    : [
        {
          code,
          message: `${found} ${consequence}`,
          measures: touched,
          ...(invalidates ? { invalidates } : {}),
        },
      ];
};

/** Findings whose effect is included in a number's interval, if it has one. */
const inInterval: readonly WarningCode[] = [
  'SCAN_NOISE',
  'SCAN_BLUR',
  'SCAN_UNEVEN',
  'SCAN_GRADIENT',
  'SCAN_THIN_WALLS',
  'SCAN_SPECKS',
  'SCAN_RINGS',
  'SCAN_GREY_CURVE',
  'EDGES_INWARD',
  'RINGS_REMOVED',
];
/** Findings that hide small pores, and the measures whose interval does not include these. */
const hidesPores: readonly WarningCode[] = ['SCAN_NOISE', 'SCAN_BLUR'];
const ofPores: readonly string[] = [
  'porosity',
  'closedPorosity',
  'openPorosity',
  'cutPorosity',
  'voidVolumeMm3',
];

/**
 * Removes from warnings the numbers whose interval already includes the effect, to avoid false alarms. Warnings that
 * invalidate a number stay.
 * @param intervals paths of the measures that have an interval
 */
export const dropCoveredMeasures = (warnings: readonly Warning[], intervals: readonly string[]): Warning[] =>
  warnings.flatMap((warning) => {
    const { code, measures, invalidates } = warning;
    if (invalidates || !inInterval.includes(code)) return [warning];
    const isCovered = (path: string) =>
      intervals.includes(path) && !(hidesPores.includes(code) && ofPores.includes(path));
    const left = measures.filter((path) => !isCovered(path));
    return left.length > 0 ? [{ ...warning, measures: left }] : [];
  });
