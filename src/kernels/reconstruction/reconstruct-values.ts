/** Reconstruction of volumes small enough for memory. */
import type { KernelPool } from '../arena.ts';
import type { Radiographs, ReconstructionFacts, ReconstructionOptions } from './plan.ts';
import { reconstruct } from './reconstruct.ts';

/**
 * @returns all values, x fastest, and the facts from `reconstruct`
 * @throws KernelError as `reconstruct`
 */
export async function reconstructValues(
  radiographs: Radiographs,
  pool: KernelPool,
  options: ReconstructionOptions,
): Promise<{ facts: ReconstructionFacts; values: Float32Array }> {
  const parts: Float32Array[] = [];
  const facts = await reconstruct(
    radiographs,
    pool,
    options,
    async () => async (planes) => void parts.push(planes),
  );
  const values = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    values.set(part, at);
    at += part.length;
  }
  return { facts, values };
}
