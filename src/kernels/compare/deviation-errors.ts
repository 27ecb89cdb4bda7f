/**
 * Uncertainty of deviations: from shifts of the scan's whole surface, from errors of single places, and from the pose
 * in which it was compared with its reference. Standard uncertainties (k = 1) in mm.
 */
import { computeMedian } from '../select-nth.ts';
import { type FittedPlaces, type PoseModes, shiftsAt } from './pose-uncertainty.ts';

/** Uncertainties of a scan's surface, before any comparison. */
export interface SurfaceErrors {
  /** common to all places and independent of one another, by source */
  shiftsMm: Readonly<Record<string, number>>;
  /** of one place, from noise; constant over the area `patchMm2` */
  noiseMm: number;
  patchMm2: number;
  /** expanded uncertainty (k = 2) of each vertex along its normal; NaN where the scan does not support the vertex */
  placesMm: Float32Array;
  /** of one place of the reference */
  referenceMm: number;
  /** standard deviation of the edge spread, the voxels' own length included */
  edgeMm: number;
  voxelMm: number;
}

/** The same for deviations measured at the places of one of the two surfaces. */
export interface DeviationErrors
  extends Pick<SurfaceErrors, 'shiftsMm' | 'noiseMm' | 'patchMm2' | 'edgeMm' | 'voxelMm'> {
  /** of each place, because the scan rounds sharp edges there */
  edgesMm: Float32Array;
  /** the same for the place that is furthest out */
  rimsMm: Float32Array;
  /** effect of each pose mode on the deviation of a place */
  poseAt(v: number): number[];
  /**
   * half widths (k = 2) by which a deviation must exceed a limit to be surely beyond it, or fall short of it to be
   * surely within
   */
  bandMm: { beyond: Float32Array; within: Float32Array };
}

/**
 * Deviation at sharp edges due to the scan, divided by the standard deviation of its blur: on its own surface, as a
 * mean over edges and for the place furthest out; seen from the reference, whose edges are sharp, both are larger. From
 * blocks at blurs of 0.6 to 1 voxel.
 */
const edgeShares = {
  scan: { mean: 0.33, furthest: 0.5 },
  reference: { mean: 0.5, furthest: 0.75 },
} as const;
/**
 * Additional deviation of the place furthest out, in standard deviations of the noise at a clear edge: at rims the
 * edges are flatter.
 */
const noiseOfRims = 2;
/** Voxel size times mean curvature (1/mm) from which a surface counts as a rounded sharp edge. */
const sharpBend = 0.25;

/** Properties of each measured place. */
export interface LookedAt extends Pick<FittedPlaces, 'positions' | 'directions'> {
  side: keyof typeof edgeShares;
  /** see SurfaceErrors, one per place; NaN where the scan does not support the place */
  placesMm: Float32Array;
  /** absolute mean curvature of the scan there, and the largest in its neighbourhood, in 1/mm */
  curvatures: { own: Float32Array; near: Float32Array };
}

/** @param pose null when it was given, and thus has no uncertainty */
export function findDeviationErrors(
  { shiftsMm, noiseMm, patchMm2, referenceMm, edgeMm, voxelMm }: Omit<SurfaceErrors, 'placesMm'>,
  { side, placesMm, curvatures, positions, directions }: LookedAt,
  pose: PoseModes | null,
): DeviationErrors {
  const poseAt = (v: number) => (pose ? shiftsAt(pose, positions, directions, v) : []);
  const known = Float64Array.from(placesMm.filter((value) => !Number.isNaN(value)));
  const usualMm = known.length > 0 ? computeMedian(known) / 2 : noiseMm;
  const shares = edgeShares[side];
  const [edgesMm, rimsMm, beyond, within] = [0, 1, 2, 3].map(() => new Float32Array(placesMm.length));
  const common2 = sumSquares(Object.values(shiftsMm)) + referenceMm ** 2;
  for (let v = 0; v < placesMm.length; v++) {
    const isUnknown = Number.isNaN(placesMm[v]);
    const bentBy = (curvature: number) => (isUnknown ? 1 : Math.min(1, (curvature * voxelMm) / sharpBend));
    edgesMm[v] = bentBy(curvatures.own[v]) * shares.mean * edgeMm;
    rimsMm[v] = bentBy(curvatures.near[v]) * (shares.furthest * edgeMm + noiseOfRims * noiseMm);
    const single = isUnknown ? usualMm : placesMm[v] / 2;
    const others2 = common2 + sumSquares(poseAt(v));
    beyond[v] = 2 * Math.sqrt(others2 + single ** 2 + edgesMm[v] ** 2);
    // A scan does not show how sharp an edge is; that it rounds edges is no reason to doubt every one.
    within[v] = 2 * Math.sqrt(others2 + Math.min(single, usualMm) ** 2);
  }
  const bandMm = { beyond, within };
  return { shiftsMm, noiseMm, patchMm2, edgeMm, voxelMm, edgesMm, rimsMm, poseAt, bandMm };
}

const sumSquares = (values: readonly number[]) => values.reduce((sum, value) => sum + value * value, 0);
