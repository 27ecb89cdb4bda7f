/**
 * From deviations to a verdict, with the guard band of ISO 14253-1: surely within, surely beyond, or neither.
 *
 * A single vertex is no evidence (noise moves each by a tenth of a voxel and more), so what counts is a connected patch
 * of the surface beyond a limit, of an area that the scan can resolve.
 */
import type { Vector3 } from '../grid/volume.ts';
import type { ToleranceMm } from './deviation-statistics.ts';

export type Verdict = 'pass' | 'fail' | 'indeterminate';

export interface DeviantPatch {
  areaMm2: number;
  /** the deviation that is furthest out, signed */
  worstMm: number;
  /** where that is, in the scan's frame */
  worstPointMm: Vector3;
}

export interface Patches {
  /** 1 for each vertex of a patch that counts */
  isBeyond: Uint8Array;
  /** the one furthest out first */
  patches: DeviantPatch[];
}

/**
 * Connected patches of the surface beyond a tolerance, above and below apart. O(vertices + triangles).
 * @param deviationMm 1 a vertex; NaN = not measured
 * @param smallestAreaMm2 smaller patches don't count
 */
export function patchesBeyond(
  mesh: { positions: Float32Array; indices: Uint32Array },
  deviationMm: Float32Array,
  areaMm2: Float32Array,
  tolerance: ToleranceMm,
  smallestAreaMm2: number,
): Patches {
  const { positions, indices } = mesh;
  // Rounded as the deviations are: a deviation of the tolerance itself is within it.
  const [lower, upper] = [Math.fround(tolerance.lowerMm), Math.fround(tolerance.upperMm)];
  const sideOf = (v: number) => (deviationMm[v] > upper ? 1 : deviationMm[v] < lower ? -1 : 0);
  const parent = Uint32Array.from({ length: deviationMm.length }, (_, v) => v);
  const root = (v: number) => {
    let at = v;
    while (parent[at] !== at) {
      parent[at] = parent[parent[at]];
      at = parent[at];
    }
    return at;
  };
  for (let t = 0; t < indices.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const [a, b] = [indices[t + k], indices[t + ((k + 1) % 3)]];
      const side = sideOf(a);
      if (side === 0 || side !== sideOf(b)) continue;
      const [ra, rb] = [root(a), root(b)];
      if (ra < rb) parent[rb] = ra;
      else parent[ra] = rb;
    }
  }
  const beyondMm = (v: number) => Math.max(deviationMm[v] - upper, lower - deviationMm[v]);
  const found = new Map<number, { areaMm2: number; worst: number }>();
  for (let v = 0; v < deviationMm.length; v++) {
    if (sideOf(v) === 0) continue;
    const id = root(v);
    const patch = found.get(id);
    if (!patch) {
      found.set(id, { areaMm2: areaMm2[v], worst: v });
      continue;
    }
    patch.areaMm2 += areaMm2[v];
    if (beyondMm(v) > beyondMm(patch.worst)) patch.worst = v;
  }
  const counts = [...found].filter(([, { areaMm2: area }]) => area > 0 && area >= smallestAreaMm2);
  const counted = new Set(counts.map(([id]) => id));
  const isBeyond = new Uint8Array(deviationMm.length);
  for (let v = 0; v < isBeyond.length; v++) if (sideOf(v) !== 0 && counted.has(root(v))) isBeyond[v] = 1;
  const patches = counts
    .map(([, patch]) => patch)
    .sort((a, b) => beyondMm(b.worst) - beyondMm(a.worst) || a.worst - b.worst)
    .map(({ areaMm2: area, worst }) => ({
      areaMm2: area,
      worstMm: deviationMm[worst],
      worstPointMm: [...positions.subarray(3 * worst, 3 * worst + 3)] as Vector3,
    }));
  return { isBeyond, patches };
}

export interface Judgement {
  /** 1 for each vertex that is beyond the tolerance even with the guard band in its favour */
  surelyBeyond: Uint8Array;
  /** 1 for each vertex that is not within the tolerance once the guard band is taken off it */
  maybeBeyond: Uint8Array;
  /** beyond the tolerance itself, the one furthest out first */
  patches: DeviantPatch[];
}

/** @param guardBandMm uncertainty by which the tolerance is widened to fail and narrowed to pass */
export function judgeDeviation(
  mesh: { positions: Float32Array; indices: Uint32Array },
  deviationMm: Float32Array,
  areaMm2: Float32Array,
  tolerance: ToleranceMm,
  guardBandMm: number,
  smallestAreaMm2: number,
): Judgement {
  const beyond = (byMm: number) =>
    patchesBeyond(
      mesh,
      deviationMm,
      areaMm2,
      { lowerMm: tolerance.lowerMm - byMm, upperMm: tolerance.upperMm + byMm },
      smallestAreaMm2,
    );
  const narrow = -guardBandMm;
  // A guard band wider than the tolerance leaves nothing that is surely within it.
  const nothingPasses = tolerance.lowerMm - narrow >= tolerance.upperMm + narrow;
  const measured = (v: number) => (Number.isNaN(deviationMm[v]) ? 0 : 1);
  return {
    surelyBeyond: beyond(guardBandMm).isBeyond,
    maybeBeyond: nothingPasses
      ? Uint8Array.from({ length: deviationMm.length }, (_, v) => measured(v))
      : beyond(narrow).isBeyond,
    patches: beyond(0).patches,
  };
}

/**
 * The verdict on all vertices, or on some.
 * @param isComplete enough of the part was measured for a pass
 */
export function verdictOf(
  { surelyBeyond, maybeBeyond }: Pick<Judgement, 'surelyBeyond' | 'maybeBeyond'>,
  isComplete: boolean,
  of?: Uint32Array,
): Verdict {
  const any = (flags: Uint8Array) => (of ? of.some((v) => flags[v] === 1) : flags.includes(1));
  if (any(surelyBeyond)) return 'fail';
  return isComplete && !any(maybeBeyond) ? 'pass' : 'indeterminate';
}
