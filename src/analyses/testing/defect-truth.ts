/** Which of the defects that an analysis lists are voids of a part, and which are noise or artefacts. */
import type { Body } from '#kernels/phantoms/bodies.ts';
import type { NumberedDefect } from '../defect-files.ts';

/** mm: blur and noise move a void's centre by less. */
const near = 1.2;

/**
 * A defect is real where voids are at least half of its volume: those that lie within its box, or the one that its centre
 * lies in. @param volumes of the voids, mm³
 */
export function isReal(
  { centerMm, boundsMm: { min, max }, volumeMm3 }: NumberedDefect,
  voids: readonly Body[],
  volumes: readonly number[],
): boolean {
  let within = 0;
  for (const [i, { boundsMm, distanceMm }] of voids.entries()) {
    const volume = volumes[i] ?? 0;
    const lies = [0, 1, 2].every(
      (k) => (boundsMm.min[k] ?? 0) > (min[k] ?? 0) - 1.5 && (boundsMm.max[k] ?? 0) < (max[k] ?? 0) + 1.5,
    );
    // A piece of a void is real too.
    if (distanceMm(...centerMm) < near && volumeMm3 < 2 * volume) return true;
    if (lies) within += volume;
  }
  return within > 0.5 * volumeMm3;
}
