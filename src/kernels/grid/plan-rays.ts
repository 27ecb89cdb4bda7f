/** What rays through a volume need to know of its look: made once for each, for the graphics card and the processor. */

import { countOpaque, isSeen, mapDistances } from './brick-map.ts';
import { columnSums } from './column-sums.ts';
import type { PackedVolume } from './pack-volume.ts';
import { findLevel, tabulateCurve } from './transfer-curve.ts';
import type { VolumeLook } from './volume-look.ts';

export const tableEntries = 1024;

/** Grey values are shares of the way from the volume's lowest to its highest. */
export interface RayPlan {
  /** red, green, blue, opacity of each entry, a byte each */
  table: Uint8Array<ArrayBuffer>;
  /** from which on it is solid; above 1 = nothing is */
  level: number;
  /** from air to material */
  contrast: number;
  /** of X-rays: what most of the part lets through is a tenth of the light, whatever its size */
  density: number;
  /** two bytes a brick: how many bricks away the nearest is that shows something, and its highest value, rounded up */
  leaps: Uint8Array<ArrayBuffer>;
}

/** O(bricks + entries · points of the curve). */
export function planRays(packed: PackedVolume, { style, curve, contrast }: VolumeLook): RayPlan {
  const { low, high, bricks } = packed;
  const table = tabulateCurve(curve, low, high, tableEntries);
  const solidFrom = findLevel(curve);
  const level = solidFrom === null ? 2 : (solidFrom - low) / (high - low);
  const opacities = Uint8Array.from({ length: tableEntries }, (_, i) => table[4 * i + 3]);
  const counts = countOpaque(opacities);
  const shows =
    style === 'surface'
      ? (brick: number) => bricks.highest[brick] / 65535 >= level
      : (brick: number) => isSeen(counts, bricks.lowest[brick], bricks.highest[brick]);
  const distances = mapDistances(bricks.size, shows);
  const leaps = new Uint8Array(2 * distances.length);
  for (let brick = 0; brick < distances.length; brick++) {
    leaps[2 * brick] = distances[brick];
    leaps[2 * brick + 1] = Math.ceil((bricks.highest[brick] * 255) / 65535);
  }
  return {
    table,
    level,
    contrast: Math.max(1e-4, contrast / (high - low)),
    density: style === 'xray' ? measureDensity(packed, opacities) : 0,
    leaps,
  };
}

function measureDensity(packed: PackedVolume, opacities: Uint8Array): number {
  const thickMm = columnSums(
    packed,
    (value) => opacities[Math.round((value / 65535) * (tableEntries - 1))] / 255,
  );
  return thickMm > 0 ? 2.3 / thickMm : 0;
}
