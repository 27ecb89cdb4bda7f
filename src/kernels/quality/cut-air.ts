import type { DataType } from '../grid/volume.ts';
import type { BlockGrid } from './block-grid.ts';
import { type BlockLevels, median } from './block-levels.ts';

/** Blocks of material lack no more than this share of the contrast; of those, a tenth are as even as noise leaves them. */
const [materialWithin, evenest] = [0.1, 0.1];
const fewestBlocks = 12;
/** Shares of the contrast: what is less is rounding, and what is more is noise. */
const [mostRounding, leastNoise] = [1e-4, 0.01];
/** Noise of fewer steps between grey values may be gone in air, where there is less of it than in the material. */
const leastSteps = 3;

/** Whether air has one grey value and the material noise: what is darker than that value was cut off. */
export function hasCutAir(
  { means, deviations }: BlockGrid,
  { even, air, materials }: BlockLevels,
  dataType: DataType,
): boolean {
  const contrast = materials[0].grey - air;
  const inAir = deviations.filter((_, at) => even[at] === 1);
  if (inAir.length < fewestBlocks || median([...inAir]) > mostRounding * contrast) return false;
  const from = materials[0].grey - materialWithin * contrast;
  const inMaterial = deviations.filter((_, at) => means[at] > from).sort();
  const noise = inMaterial[Math.floor(evenest * inMaterial.length)] ?? 0;
  const step = dataType.startsWith('float') ? 0 : 1;
  return inMaterial.length >= fewestBlocks && noise > Math.max(leastNoise * contrast, leastSteps * step);
}
