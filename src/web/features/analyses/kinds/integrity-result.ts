/** What the metadata of an integrity analysis says, read leniently: a figure that is missing is shown as a dash. */
import { z } from 'zod';

const number = z.number().nullable().catch(null);
const point = z.tuple([z.number(), z.number(), z.number()]);

const ListedDefect = z.object({
  id: z.number(),
  kind: z.string(),
  volumeMm3: z.number(),
  equivalentDiameterMm: z.number(),
  sphericity: number,
  openingMm: number,
  distanceToSurfaceMm: number,
  centerMm: point,
  surfaceConnected: z.boolean().catch(false),
  belowDetectionLimit: z.boolean().catch(false),
});
export type ListedDefect = z.infer<typeof ListedDefect>;

const IntegrityMetadata = z.object({
  materialVolumeMm3: number,
  voidVolumeMm3: number,
  porosity: number,
  porosityBand: z.tuple([z.number(), z.number()]).nullable().catch(null),
  threshold: number,
  thresholdMode: z.enum(['iso50', 'otsu', 'value']).nullable().catch(null),
  defectCount: number,
  largestVolumeMm3: number,
  detectionLimitMm: number,
  belowDetectionLimitCount: number,
  surfaceConnectedCount: number,
  sizeDistribution: z
    .object({ edgesMm: z.array(z.number()).min(2), counts: z.array(z.number()).min(1) })
    .refine(({ edgesMm, counts }) => edgesMm.length === counts.length + 1)
    .nullable()
    .catch(null),
  defects: z.array(ListedDefect).catch([]),
});
export type IntegrityMetadata = z.infer<typeof IntegrityMetadata>;

const nothing = Object.fromEntries(Object.keys(IntegrityMetadata.shape).map((key) => [key, null]));

export const readIntegrityMetadata = (metadata: Record<string, unknown>): IntegrityMetadata =>
  IntegrityMetadata.parse({ ...nothing, ...metadata });

/**
 * What the threshold is called. ISO 50 is said in full: here it lies between the peaks of all cells, while a mesh's lies
 * between those of cells where grey values neither rise nor fall, and the two differ where walls are thin.
 */
export const thresholdLabel = ({ thresholdMode }: IntegrityMetadata): string =>
  thresholdMode === null ? 'Threshold' : thresholdLabels[thresholdMode];

const thresholdLabels = {
  iso50: 'Threshold, ISO 50 of all cells',
  otsu: 'Threshold, Otsu',
  value: 'Threshold, as given',
};

export const sortKeys = ['volumeMm3', 'equivalentDiameterMm', 'distanceToSurfaceMm', 'sphericity'] as const;
export type SortKey = (typeof sortKeys)[number];

/** Without a value last in either direction; equal ones by their number. */
export function sortDefects(
  defects: readonly ListedDefect[],
  key: SortKey,
  descending: boolean,
): ListedDefect[] {
  return [...defects].sort((a, b) => {
    const [p, q] = [a[key], b[key]];
    if (p === null || q === null) return p === q ? a.id - b.id : p === null ? 1 : -1;
    return (descending ? q - p : p - q) || a.id - b.id;
  });
}
