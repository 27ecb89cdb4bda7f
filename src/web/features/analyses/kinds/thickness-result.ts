/** What the metadata of a wall thickness says, read leniently: a figure that is missing is shown as a dash. */
import { z } from 'zod';
import { PercentilesMm } from './percentile-names.ts';

const number = z.number().nullable().catch(null);
const point = z.tuple([z.number(), z.number(), z.number()]);

const Region = z.object({
  areaMm2: number,
  minMm: number,
  thinnestMm: point.nullable().catch(null),
  centerMm: point,
});

const ThicknessMetadata = z.object({
  method: z.string().nullable().catch(null),
  count: number,
  minMm: number,
  meanMm: number,
  sdMm: number,
  maxMm: number,
  minThicknessMm: number,
  percentilesMm: PercentilesMm,
  histogram: z
    .object({ edgesMm: z.array(z.number()).min(2), areaMm2: z.array(z.number()).min(1) })
    .refine(({ edgesMm, areaMm2 }) => edgesMm.length === areaMm2.length + 1)
    .nullable()
    .catch(null),
  belowMinimumShare: number,
  disagreementShare: number,
  regionCount: number,
  regions: z.array(Region).catch([]),
});
export type ThicknessMetadata = z.infer<typeof ThicknessMetadata>;

const nothing = {
  method: null,
  count: null,
  minMm: null,
  meanMm: null,
  sdMm: null,
  maxMm: null,
  minThicknessMm: null,
  percentilesMm: {},
  histogram: null,
  belowMinimumShare: null,
  disagreementShare: null,
  regionCount: null,
  regions: [],
};

export const readThicknessMetadata = (metadata: Record<string, unknown>): ThicknessMetadata =>
  ThicknessMetadata.parse({ ...nothing, ...metadata });

/** Digits after the point that lengths of a result deserve: about a thousandth of its mean, 2 to 5. */
export const digitsFor = (meanMm: number | null): number =>
  meanMm === null || meanMm <= 0 ? 3 : Math.min(5, Math.max(2, 3 - Math.floor(Math.log10(meanMm))));
