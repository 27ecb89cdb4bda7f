/** Warning for closed regions that are too dark for material but not dark enough to be detected as voids. */
import { formatQuantity } from '#contract/base/format-number.ts';
import type { Grid } from '#kernels/grid/volume.ts';
import type { FilledVoids } from '#kernels/integrity/measure-group.ts';
import type { PaleRegions } from '#kernels/integrity/pale-regions.ts';
import { type SurfaceDoubt, surfaceWarnings } from './volume-surface.ts';

/** Smaller shares of the volume of all voids, or of a part without voids, affect no number noticeably. */
const minShare = { ofVoids: 0.02, ofPart: 1e-4 };
/** Regions up to this multiple of the volume of filled voids are those voids, whose filling was allowed for. */
const asWell = 1.2;

/** Measures that include closed voids. */
export const closedVoidNumbers = [
  'porosity',
  'closedPorosity',
  'voidVolumeMm3',
  'largestVolumeMm3',
  'defectCount',
] as const;

/** @param filled voids whose volumes already count as empty ones @param materialMm3 of the part without its voids */
export function warnOfPale(
  pale: PaleRegions | null,
  { voxelSizeMm }: Grid,
  { filled, voidsMm3, materialMm3 }: { filled: FilledVoids | null; voidsMm3: number; materialMm3: number },
) {
  if (!pale) return [];
  const volumeMm3 = pale.volume * voxelSizeMm.reduce((product, edge) => product * edge, 1);
  const least = voidsMm3 > 0 ? minShare.ofVoids * voidsMm3 : minShare.ofPart * materialMm3;
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
