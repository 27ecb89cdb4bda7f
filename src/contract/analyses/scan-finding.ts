/** One thing that was found about a scan, and what it does to numbers; how rules say it. */
import { formatNumber } from '../base/format-number.ts';
import type { ScanQuality, ShownName } from '../metadata/scan-quality.ts';
import type { WarningCode } from '../metadata/warning.ts';

/** What numbers rest on: where the surface lies, how far walls are apart, what is a void, the distance to a reference, or the pose. */
export type RestsOn = 'surface' | 'walls' | 'defects' | 'deviation' | 'pose';

export interface Effect {
  /** what it does to the numbers, a sentence */
  says: string;
  /** so much that they can't be relied on */
  invalidates: boolean;
  /** paths of the measures that it leaves as they are */
  spares?: readonly string[];
}

export interface ScanFinding {
  code: WarningCode;
  /** what was found, a sentence */
  found: string;
  /** the place of the scan's quality that shows it */
  shownBy?: ShownName;
  effects: Partial<Record<RestsOn, Effect>>;
}

export const mark = (says: string): Effect => ({ says, invalidates: false });
export const refuse = (says: string): Effect => ({ says, invalidates: true });
/** On what rests on where the surface lies, but for the pose, which evens it out. */
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
/** Numbers of voids and inclusions, which a mistake of the part's own volume does not change. */
export const defectMeasures: readonly string[] = [
  'defectCount',
  'surfaceConnectedCount',
  'cutCount',
  'belowDetectionLimitCount',
  'largestVolumeMm3',
  'voidVolumeMm3',
  'inclusionVolumeMm3',
];
/** Relied on up to a limit, and no more beyond. */
export const upTo = (value: number, limit: number, below: string, above: string): Effect =>
  value <= limit ? mark(below) : refuse(above);

export const percent = (share: number) => `${formatNumber(100 * share, share < 0.095 ? 1 : 0)} %`;

export type Rule = (quality: ScanQuality) => ScanFinding | null;
