/**
 * Precomputed data for casting rays through a volume: made once per appearance, for the graphics card and the
 * processor.
 */

import { countOpaque, isSeen, mapDistances } from './brick-map.ts';
import { columnSums } from './column-sums.ts';
import type { PackedVolume } from './pack-volume.ts';
import { findLevel, tabulateCurve } from './transfer-curve.ts';
import type { VolumeLook } from './volume-look.ts';

export const tableEntries = 1024;

/** Grey values are scaled to 0 … 1 between the lowest and highest of the volume. */
export interface RayPlan {
  /** red, green, blue, opacity of each entry, one byte each */
  table: Uint8Array<ArrayBuffer>;
  /** level from which the volume is solid; above 1 = nothing is */
  level: number;
  /** difference between air and material */
  contrast: number;
  /** for X-rays: scaled so that typical rays through the part keep a tenth of the light, for any part size */
  density: number;
  /** two bytes per brick: distance in bricks to the nearest visible one, and its highest value, rounded up */
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
