/** Numbers of a comparison as they are shown. Pure. */
import type { MeshCompareMetadata } from '#web/api/generated/types.gen.ts';

type Tolerance = MeshCompareMetadata['tolerance'];

/** What is furthest out, with its sign: the worse of both ends against the tolerance. */
export const findWorst = (
  { minMm, maxMm }: { minMm: number; maxMm: number },
  { lowerMm, upperMm }: Tolerance,
): number => (lowerMm - minMm > maxMm - upperMm ? minMm : maxMm);
