/** What is said of closed regions that are too pale for material and not empty enough to be found as voids. */
import { formatQuantity } from '#contract/base/format-number.ts';
import type { Grid } from '#kernels/grid/volume.ts';
import type { FilledVoids } from '#kernels/integrity/measure-group.ts';
import type { PaleRegions } from '#kernels/integrity/pale-regions.ts';
import { type SurfaceDoubt, surfaceWarnings } from './volume-surface.ts';

/** Less than this share of all voids, or of a part without any, moves no number that somebody would judge by. */
const leastShare = { ofVoids: 0.02, ofPart: 1e-4 };
/** Of voids whose filling was allowed for, the volumes of the regions are known as well as this. */
const asWell = 1.2;

/** The numbers that closed voids count in. */
export const closedVoidNumbers = [
  'porosity',
  'closedPorosity',
  'voidVolumeMm3',
  'largestVolumeMm3',
  'defectCount',
] as const;

/** @param filled voids whose volumes are of whole ones already @param materialMm3 of the part without its voids */
export function warnOfPale(
  pale: PaleRegions | null,
  { voxelSizeMm }: Grid,
  { filled, voidsMm3, materialMm3 }: { filled: FilledVoids | null; voidsMm3: number; materialMm3: number },
) {
  if (!pale) return [];
  const volumeMm3 = pale.volume * voxelSizeMm.reduce((product, edge) => product * edge, 1);
  const least = voidsMm3 > 0 ? leastShare.ofVoids * voidsMm3 : leastShare.ofPart * materialMm3;
  if (volumeMm3 - asWell * (filled?.volumeMm3 ?? 0) < least) return [];
  const [low, high] = pale.depths.map((depth) => Math.round(100 * (1 - depth)));
  const greys = low === high ? `${low} %` : `${high} to ${low} %`;
  const [are, they] =
    pale.count === 1
      ? ['One closed region is', 'it is a void']
      : [`${pale.count} closed regions are`, 'they are voids'];
  const share = formatQuantity((100 * volumeMm3) / (materialMm3 + voidsMm3), '%');
  const doubt: SurfaceDoubt = {
    code: 'VOIDS_FILLED',
    message: `${are} paler than the material, at ${greys} of the way from air to it, and counted in part or not at all. If ${they} that resin, oil or powder fills: up to ${share} of the part is missing in the porosity. A threshold above that grey value counts them.`,
    invalidates: true,
  };
  return surfaceWarnings([doubt], ...closedVoidNumbers);
}
