/** A finding about a scan and its effects on measured numbers; vocabulary of the rules. */
import { formatNumber } from '../base/format-number.ts';
import type { ScanQuality, ShownName } from '../metadata/scan-quality.ts';
import type { WarningCode } from '../metadata/warning.ts';

/** What numbers depend on: position of the surface, wall thickness, voids, distance to a reference, or the pose. */
export type RestsOn = 'surface' | 'walls' | 'defects' | 'deviation' | 'pose';

export interface Effect {
  /** sentence about the effect on the numbers */
  consequence: string;
  /** true: the numbers are unreliable */
  invalidates: boolean;
  /** paths of measures that are not affected */
  unaffected?: readonly string[];
  /** sizes are wrong by a share of them, so a size of zero is right */
  keepsZero?: boolean;
}

export interface ScanFinding {
  code: WarningCode;
  /** sentence about the finding */
  found: string;
  /** name of the place in the scan's quality that shows it */
  shownBy?: ShownName;
  effects: Partial<Record<RestsOn, Effect>>;
}

export const mark = (consequence: string): Effect => ({ consequence, invalidates: false });
export const refuse = (consequence: string): Effect => ({ consequence, invalidates: true });
/** Effect on everything that depends on the position of the surface, except the pose, which averages it out. */
export const onSurfaces = (effect: Effect): ScanFinding['effects'] => ({
  surface: effect,
  walls: effect,
  deviation: effect,
});
export const onAll = (effect: Effect): ScanFinding['effects'] => ({
  ...onSurfaces(effect),
  defects: effect,
  pose: effect,
});
/** Measures of voids and inclusions, which an error in the part's own volume does not affect. */
export const defectMeasures: readonly string[] = [
  'defectCount',
  'surfaceConnectedCount',
  'cutCount',
  'belowDetectionLimitCount',
  'largestVolumeMm3',
  'voidVolumeMm3',
  'inclusionVolumeMm3',
];
/** Measures of which voids are found, not of their sizes. */
export const countMeasures: readonly string[] = [
  'defectCount',
  'surfaceConnectedCount',
  'cutCount',
  'belowDetectionLimitCount',
  'detectionLimitMm',
];
/** Voids come out too large or too small, but none is lost and none appears. */
export const resize = (consequence: string): Effect => ({
  ...mark(consequence),
  unaffected: countMeasures,
  keepsZero: true,
});
/** Marks numbers as affected up to the limit, and as unreliable beyond it. */
export const upTo = (value: number, limit: number, below: string, above: string): Effect =>
  value <= limit ? mark(below) : refuse(above);
/** The same for voids whose sizes are affected up to the limit. */
export const sizesUpTo = (value: number, limit: number, below: string, above: string): Effect =>
  value <= limit ? resize(below) : refuse(above);

export const percent = (share: number) => `${formatNumber(100 * share, share < 0.095 ? 1 : 0)} %`;

export type Rule = (quality: ScanQuality) => ScanFinding | null;
