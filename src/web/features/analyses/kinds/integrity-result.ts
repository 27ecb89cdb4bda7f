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

const thresholds = {
  iso50: {
    label: 'Threshold, ISO 50',
    // A mesh's lies between the peaks of those voxels where grey values neither rise nor fall.
    help: 'Midway between the peaks of air and material in the histogram of all voxels. A mesh leaves out the voxels at edges, so that its ISO 50 differs a little where walls are thin.',
  },
  otsu: {
    label: 'Threshold, Otsu',
    help: 'The grey value that parts the histogram into the two tightest groups.',
  },
  value: { label: 'Threshold, as given', help: undefined },
} as const;

/** What the threshold is called. */
export const thresholdLabel = ({ thresholdMode }: Pick<IntegrityMetadata, 'thresholdMode'>): string =>
  thresholdMode === null ? 'Threshold' : thresholds[thresholdMode].label;

/** How the threshold was found. */
export const thresholdHelp = ({
  thresholdMode,
}: Pick<IntegrityMetadata, 'thresholdMode'>): string | undefined =>
  thresholdMode === null ? undefined : thresholds[thresholdMode].help;
