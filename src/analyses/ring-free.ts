/** Grey values without the scan's rings, if the judge found any. */
import { listFindings } from '#contract/analyses/scan-findings.ts';
import { findRings, withoutRings } from '#kernels/rings/without-rings.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';
import type { FoundLevel } from './found-level.ts';

/** Assumed blur, in voxels, of a scan of unknown blur. */
const usualBlur = 0.6;

/** @returns null when the scan has no rings, or none that can be distinguished from the part */
export async function takeOffRings(
  volume: VolumeInput,
  { level, local }: FoundLevel,
  { judged, progress }: AnalysisContext,
): Promise<VolumeInput | null> {
  if (!listFindings(judged).some(({ code }) => code === 'SCAN_RINGS')) return null;
  progress(0, 'Rings');
  const air = local?.air ?? level.peaks?.air ?? level.air;
  const material = local?.material ?? level.peaks?.material ?? volume.range[1];
  const search = {
    level: (air + material) / 2,
    contrast: material - air,
    blur: judged?.blurVoxels ?? usualBlur,
  };
  const field = await findRings(volume, search);
  const { histogram, range, outline } = volume;
  return field && { ...withoutRings(volume, field), histogram, range, outline };
}
