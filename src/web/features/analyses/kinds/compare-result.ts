/** What the metadata of an alignment or a comparison says, read leniently: a figure that is missing is shown as a dash. */
import { z } from 'zod';
import { PercentilesMm } from './percentile-names.ts';

const number = z.number().nullable().catch(null);
const text = z.string().nullable().catch(null);
const point = z.tuple([z.number(), z.number(), z.number()]);
const matrix = z.array(z.number()).length(16).nullable().catch(null);
const warnings = z.array(z.string()).catch([]);

const AlignmentMetadata = z.object({
  matrix,
  rmsMm: number,
  inlierShare: number,
  iterations: number,
  ambiguous: z.boolean().catch(false),
  scale: number,
  warnings,
});
export type AlignmentMetadata = z.infer<typeof AlignmentMetadata>;

const Group = z.object({
  key: z.string(),
  name: z.string(),
  verdict: z.string().catch('indeterminate'),
  beyondToleranceMm: number,
  meanMm: number,
  minMm: number,
  maxMm: number,
  inToleranceShare: number,
  worstPointMm: point.nullable().catch(null),
});
export type ComparedGroup = z.infer<typeof Group>;

const Patch = z.object({ areaMm2: number, worstMm: z.number(), worstPointMm: point });

const CompareMetadata = z.object({
  verdict: text,
  meanMm: number,
  sdMm: number,
  rmsMm: number,
  minMm: number,
  maxMm: number,
  percentilesMm: PercentilesMm,
  inToleranceShare: number,
  histogram: z
    .object({ edgesMm: z.array(z.number()).min(2), areaMm2: z.array(z.number()).min(1) })
    .refine(({ edgesMm, areaMm2 }) => edgesMm.length === areaMm2.length + 1)
    .nullable()
    .catch(null),
  tolerance: z.object({ lowerMm: z.number(), upperMm: z.number() }).nullable().catch(null),
  guardBandMm: number,
  maxDistanceMm: number,
  measuredShare: number,
  coveredShare: number,
  poresLeftOut: number,
  deflectionMm: number,
  alignment: AlignmentMetadata.partial().extend({ mode: text }).nullable().catch(null),
  regionCount: number,
  regions: z.array(Patch).catch([]),
  groupBy: text,
  groupCount: number,
  groups: z.array(Group).catch([]),
  unmeasuredGroupCount: number,
  unmeasuredGroups: z.array(z.object({ key: z.string(), name: z.string() })).catch([]),
  warnings,
});
export type CompareMetadata = z.infer<typeof CompareMetadata>;

const nothing = (shape: object) => Object.fromEntries(Object.keys(shape).map((key) => [key, null]));

export const readAlignmentMetadata = (metadata: Record<string, unknown>): AlignmentMetadata =>
  AlignmentMetadata.parse({ ...nothing(AlignmentMetadata.shape), ...metadata });

export const readCompareMetadata = (metadata: Record<string, unknown>): CompareMetadata =>
  CompareMetadata.parse({ ...nothing(CompareMetadata.shape), ...metadata });

/** Digits after the point that a deviation deserves: about a hundredth of the tolerance, 2 to 6. */
export function digitsOf(tolerance: CompareMetadata['tolerance']): number {
  const reach = tolerance ? Math.max(Math.abs(tolerance.lowerMm), Math.abs(tolerance.upperMm)) : 0;
  return reach > 0 ? Math.min(6, Math.max(2, 2 - Math.floor(Math.log10(reach)))) : 3;
}

/** What is furthest out, with its sign: the worse of both ends against the tolerance. */
export function worstOf(
  group: Pick<ComparedGroup, 'minMm' | 'maxMm'>,
  tolerance: CompareMetadata['tolerance'],
) {
  const { minMm, maxMm } = group;
  if (minMm === null || maxMm === null) return maxMm ?? minMm;
  const { lowerMm, upperMm } = tolerance ?? { lowerMm: 0, upperMm: 0 };
  return lowerMm - minMm > maxMm - upperMm ? minMm : maxMm;
}

/** Why the verdict is what it is, in one sentence. */
export function verdictInWords(result: CompareMetadata, mm: (value: number) => string): string {
  const { verdict, tolerance, guardBandMm, measuredShare, coveredShare } = result;
  if (!tolerance) return '';
  const guard = guardBandMm ? ` by more than the guard band of ${mm(guardBandMm)}` : '';
  if (verdict === 'fail') return `Part of the surface is beyond the tolerance${guard}.`;
  if (verdict === 'pass')
    return guardBandMm
      ? `The whole surface is within the tolerance, also when the guard band of ${mm(guardBandMm)} is taken off it.`
      : 'The whole surface is within the tolerance.';
  if (coveredShare !== null && coveredShare < 0.99)
    return 'Nothing measured is surely beyond the tolerance, but the scan does not cover the whole reference.';
  if (measuredShare !== null && measuredShare < 0.99)
    return 'Nothing measured is surely beyond the tolerance, but part of the scan has no counterpart on the reference.';
  return `Part of the surface is so close to the limits that the guard band${guardBandMm ? ` of ${mm(guardBandMm)}` : ''} leaves it open.`;
}
