/** Numbers of a comparison as shown on screen. Pure. */
import type { MeshCompareMetadata } from '#web/api/generated/types.gen.ts';

type Tolerance = MeshCompareMetadata['tolerance'];

/** The worst deviation with its sign: the end of the range that exceeds its tolerance limit most. */
export const findWorst = (
  { minMm, maxMm }: { minMm: number; maxMm: number },
  { lowerMm, upperMm }: Tolerance,
): number => (lowerMm - minMm > maxMm - upperMm ? minMm : maxMm);
