import type { DataType } from '../grid/volume.ts';
import type { BlockGrid } from './block-grid.ts';
import { type BlockLevels, median } from './block-levels.ts';

/**
 * Blocks of material are within this share of the contrast from its level; the noise is taken from this share of the
 * most uniform ones.
 */
const [materialWithin, evenest] = [0.1, 0.1];
const minBlocks = 12;
/** Shares of the contrast: smaller deviations are rounding; larger ones than the second are noise. */
const [maxRounding, minNoise] = [1e-4, 0.01];
/** Noise of fewer grey steps may vanish in air, where it is lower than in the material. */
const minSteps = 3;

/** Whether air has a single grey value while the material has noise: everything darker was clipped. */
export function hasCutAir(
  { means, deviations }: BlockGrid,
  { even, air, materials }: BlockLevels,
  dataType: DataType,
): boolean {
  const contrast = materials[0].grey - air;
  const inAir = deviations.filter((_, at) => even[at] === 1);
  if (inAir.length < minBlocks || median([...inAir]) > maxRounding * contrast) return false;
  const from = materials[0].grey - materialWithin * contrast;
  const inMaterial = deviations.filter((_, at) => means[at] > from).sort();
  const noise = inMaterial[Math.floor(evenest * inMaterial.length)] ?? 0;
  const step = dataType.startsWith('float') ? 0 : 1;
  return inMaterial.length >= minBlocks && noise > Math.max(minNoise * contrast, minSteps * step);
}
