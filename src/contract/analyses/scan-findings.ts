/** What the quality of a scan does to the numbers that are measured on it, in sentences. */
import { formatNumber } from '../base/format-number.ts';
import { type ScanQuality, viewDoubts } from '../metadata/scan-quality.ts';
import type { Warning, WarningCode } from '../metadata/warning.ts';
import { greyRules } from './grey-rules.ts';
import { partRules } from './part-rules.ts';
import { mark, onAll, onSurfaces, type RestsOn, refuse, type ScanFinding } from './scan-finding.ts';
import { sliceRules } from './slice-rules.ts';
import { viewRules } from './view-rules.ts';

const rules = [...greyRules, ...sliceRules, ...partRules, ...viewRules];

/** What there is to say about a scan; nothing about one without contrast, on which nothing is measured. */
export const listFindings = (quality: ScanQuality | null): ScanFinding[] =>
  quality?.hasContrast ? rules.flatMap((rule) => rule(quality) ?? []) : [];

/**
 * @param codes of the warnings that the volume carries itself
 * @param edgesInwardVoxels as its reconstruction estimates it; undefined where it was not reconstructed here
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

/** At local levels cupping and shading are known, and no longer held against a surface and the voids under it. */
export function followLevels(finding: ScanFinding): ScanFinding {
  if (finding.code !== 'SCAN_UNEVEN' && finding.code !== 'SCAN_GRADIENT') return finding;
  const followed = mark(
    'The surface allows for it: it lies midway between air and material around each place.',
  );
  const defects = {
    ...mark('Each closed void is measured against the material around it.'),
    spares: ['defectCount', 'surfaceConnectedCount', 'cutCount', 'belowDetectionLimitCount'],
  };
  return { ...finding, effects: { ...finding.effects, surface: followed, walls: followed, defects } };
}

/** Where walls are thick enough for the level that the surface lies at, what blur makes of them is in the interval. */
export function explainThinWalls(finding: ScanFinding): ScanFinding {
  if (finding.code !== 'SCAN_THIN_WALLS') return finding;
  const surface = mark(
    'The grey value of their material is known, and the interval includes how far blur moves their faces.',
  );
  return { ...finding, effects: { ...finding.effects, surface } };
}

const noContrast =
  'The scan shows one grey value and noise: there is no part in it, the part has too few voxels to determine its grey value, or material fills all of it. To measure a part that is small in its scan, crop the scan to it or enter the grey value of the surface.';
const noAir =
  'Material fills the whole scan, without air around it, so there is no outer surface. Its pores are too few or too small to determine the grey value of air: to measure them, enter the grey value of the surface.';

/** Why nothing is measured on a scan without contrast. */
export const explainNoContrast = ({ isFilled }: ScanQuality): string => (isFilled ? noAir : noContrast);

/** Of a scan of too few voxels, or so odd that its levels can't be told. */
export const unjudged: ScanFinding = {
  code: 'SCAN_UNJUDGED',
  found:
    'The scan could not be judged: it has fewer than 28 voxels along an axis, or its grey values don’t separate into air and material.',
  effects: onAll(mark('Whether it is cut, uneven, noisy or too coarse for this number is not known.')),
};

/** Where local levels were asked for and there is no place that tells them. */
export const oneLevel: ScanFinding = {
  code: 'SCAN_ONE_LEVEL',
  found: 'The part is nowhere thick enough to determine its grey value locally.',
  effects: onAll(mark('One level was used for all of it, which may be off by some percent of the contrast.')),
};

/**
 * How near to the material the level of a surface may lie, as a share of the contrast, and how near to air in deviations; but
 * about midway it lies right however strong the noise is, which is filtered before anything is taken for material.
 */
const levelMargin = 0.2;
const airDeviations = 2;
const midway = 0.35;

/** The level at which a surface or voids were taken, where it lies next to air or a material. */
export function checkLevel(quality: ScanQuality, level: number): ScanFinding | null {
  const { airGrey, contrastToNoise } = quality;
  const lightest = quality.materials[0]?.grey ?? Number.POSITIVE_INFINITY;
  const share = (level - airGrey) / (lightest - airGrey);
  const least = contrastToNoise === null ? 0 : Math.min(airDeviations / contrastToNoise, midway);
  if (share > least && share < 1 - levelMargin) return null;
  const grey = (value: number) => formatNumber(value, 0);
  const says =
    share >= 1 - levelMargin ? 'Material is taken for air.' : 'Air and noise are taken for material.';
  const effect = refuse(says);
  return {
    code: 'SCAN_LEVEL',
    found: `The level of ${grey(level)} lies next to ${share <= least ? `air (${grey(airGrey)})` : `the lightest material (${grey(lightest)})`}.`,
    effects: { ...onSurfaces(effect), defects: effect },
  };
}

/** What a finding says to the numbers of one analysis; nothing where it does not touch them. */
export const warnAbout = (
  { code, found, effects }: ScanFinding,
  restsOn: RestsOn,
  measures: string[],
): Warning[] => {
  const effect = effects[restsOn];
  if (!effect) return [];
  const { says, invalidates, spares = [] } = effect;
  const touched = measures.filter((path) => !spares.includes(path));
  return [{ code, message: `${found} ${says}`, measures: touched, ...(invalidates ? { invalidates } : {}) }];
};

/** What these do to a number is in its interval, where it has one. */
const inInterval: readonly WarningCode[] = [
  'SCAN_NOISE',
  'SCAN_BLUR',
  'SCAN_UNEVEN',
  'SCAN_GRADIENT',
  'SCAN_THIN_WALLS',
  'SCAN_SPECKS',
];
/** What noise hides of small pores is in no interval. */
const hiddenByNoise: readonly string[] = [
  'porosity',
  'closedPorosity',
  'openPorosity',
  'cutPorosity',
  'voidVolumeMm3',
];

/**
 * Marks without the numbers that have an interval which holds what they say: beside it they would be an alarm for nothing. What
 * says that a number can't be relied on stays.
 * @param intervals paths of the measures that have one
 */
export const spareHeld = (warnings: readonly Warning[], intervals: readonly string[]): Warning[] =>
  warnings.flatMap((warning) => {
    const { code, measures, invalidates } = warning;
    if (invalidates || !inInterval.includes(code)) return [warning];
    const isHeld = (path: string) =>
      intervals.includes(path) && !(code === 'SCAN_NOISE' && hiddenByNoise.includes(path));
    const left = measures.filter((path) => !isHeld(path));
    return left.length > 0 ? [{ ...warning, measures: left }] : [];
  });
