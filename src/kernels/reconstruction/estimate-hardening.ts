/** Estimates the beam hardening of a part of one material from its own grey values. */
import type { KernelPool } from '../arena.ts';
import type { Radiographs, ReconstructionOptions } from './plan.ts';
import { reconstructValues } from './reconstruct-values.ts';

export interface Hardening {
  /** b of the correction p + b p² of the line integrals */
  beamHardening: number;
  /** coefficient of variation of the material's grey values, without the correction and with it */
  unevenness: [before: number, after: number];
  /** reason why no correction was found */
  doubt: string | null;
}

/** Edge of the volumes used: coarse ones show cupping and have less noise. */
const coarse = 64;
/** If the material is more uneven than this after the correction, there are several materials or other artefacts. */
const maxUnevenness = 0.08;
/** Maximum ratio of the unevenness after and before, for a correction to be accepted. */
const minGain = 0.9;
/**
 * Shares of the material's grey value: one above all air, one below all cupping, and the maximum share of voxels in
 * between.
 */
const lightest = 0.15;
const darkestCup = 0.6;
const maxLighterShare = 0.05;
/** Minimum number of voxels. */
const minVoxels = 200;

/**
 * Filtered back-projection is linear: the volume of p + b p² is that of p plus b times that of p². The b that minimizes
 * the variation of the material's grey values, after the idea of empirical cupping correction (European patent
 * application EP2584532, introduction), follows from their means, variances and covariance in closed form. Requires two
 * small reconstructions. Edges are excluded. For a part of several materials there is no such b; the result then states
 * the doubt.
 *
 * @throws KernelError as `reconstruct`
 */
export async function estimateHardening(
  radiographs: Radiographs,
  pool: KernelPool,
  options: ReconstructionOptions,
): Promise<Hardening> {
  const make = (beamHardening: number, centerOfRotationMm: number | undefined) =>
    reconstructValues(radiographs, pool, {
      ...options,
      maxDimension: coarse,
      filter: 'hann',
      beamHardening,
      centerOfRotationMm,
      progress: () => undefined,
    });
  const plain = await make(0, options.centerOfRotationMm);
  const { values: squared } = await make(1, plain.facts.centerOfRotationMm);
  for (let i = 0; i < squared.length; i++) squared[i] -= plain.values[i];
  const { dimensions } = plain.facts.grid;
  const inside = findInside(plain.values, dimensions, findLevel(plain.values));
  const refuse = (doubt: string): Hardening => ({ beamHardening: 0, unevenness: [0, 0], doubt });
  if (inside.length < minVoxels) return refuse('the part has no place that is full of material');
  const grey = inside.reduce((sum, i) => sum + plain.values[i], 0) / inside.length;
  const wide = findInside(plain.values, dimensions, lightest * grey);
  const lighter = wide.filter((i) => plain.values[i] < darkestCup * grey).length;
  if (lighter > maxLighterShare * wide.length) return refuse('the part has a lighter material too');
  return fitEvenness(plain.values, squared, inside);
}

function fitEvenness(plain: Float32Array, squared: Float32Array, inside: readonly number[]): Hardening {
  const n = inside.length;
  const mean = (values: Float32Array) => inside.reduce((sum, i) => sum + values[i], 0) / n;
  const [m0, m1] = [mean(plain), mean(squared)];
  let [v00, v01, v11] = [0, 0, 0];
  for (const i of inside) {
    const [a, b] = [plain[i] - m0, squared[i] - m1];
    v00 += (a * a) / n;
    v01 += (a * b) / n;
    v11 += (b * b) / n;
  }
  const measure = (b: number) => Math.sqrt(Math.max(0, v00 + 2 * b * v01 + b * b * v11)) / (m0 + b * m1);
  const best = (v00 * m1 - v01 * m0) / (v11 * m0 - v01 * m1);
  const before = measure(0);
  const none = { beamHardening: 0, unevenness: [before, before] as [number, number] };
  if (!(best > 0) || measure(best) > minGain * before)
    return { ...none, doubt: 'no correction makes the material more even' };
  const after = measure(best);
  if (best > 1 || after > maxUnevenness)
    return {
      ...none,
      doubt: `the material stays uneven by ${(100 * after).toFixed(0)} %, as where there are several materials`,
    };
  return { beamHardening: best, unevenness: [before, after], doubt: null };
}

/** Voxels above a level whose neighbours within two voxels are above it, too. */
function findInside(values: Float32Array, [nx, ny, nz]: readonly number[], level: number): number[] {
  const isOver = (x: number, y: number, z: number) => values[(z * ny + y) * nx + x] > level;
  // Thin volumes have too few neighbours above and below.
  const reachZ = nz > 4 ? 2 : 0;
  const found: number[] = [];
  for (let z = reachZ; z < nz - reachZ; z++) {
    for (let y = 2; y < ny - 2; y++) {
      for (let x = 2; x < nx - 2; x++) {
        let isInside = isOver(x, y, z);
        for (let k = -reachZ; k <= reachZ && isInside; k++)
          for (let j = -2; j <= 2 && isInside; j++)
            for (let i = -2; i <= 2 && isInside; i++) isInside = isOver(x + i, y + j, z + k);
        if (isInside) found.push((z * ny + y) * nx + x);
      }
    }
  }
  return found;
}

/**
 * Half of the mean of the values above the level itself: converges between air and material for any share of material.
 */
function findLevel(values: Float32Array): number {
  let level = 0;
  for (const value of values) level = Math.max(level, value / 4);
  for (let again = 0; again < 20; again++) {
    let [sum, count] = [0, 0];
    for (const value of values) {
      if (value <= level) continue;
      sum += value;
      count++;
    }
    const next = count > 0 ? sum / count / 2 : level;
    if (Math.abs(next - level) < 1e-3 * level) break;
    level = next;
  }
  return level;
}
