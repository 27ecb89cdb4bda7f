/** Which data objects count as results, for a download of the results of many projects. */
import type { DataObjectKind } from '../db/schema-data.ts';

export const resultKinds = [
  'mesh',
  'alignment',
  'wallThickness',
  'integrity',
  'meshCompare',
  'report',
] as const satisfies DataObjectKind[];

/** An archive of results is kept for so long after it was packed. */
export const RESULTS_KEPT_DAYS = 7;
