/**
 * How far deviations may be off: what moves the whole surface of the scan, what moves single places of it, and the pose in
 * which it was held against its reference. Standard uncertainties (k = 1) in mm.
 */
import { computeMedian } from '../select-nth.ts';
import { type FittedPlaces, type PoseModes, shiftsAt } from './pose-uncertainty.ts';

/** What is known of a scan's surface before it is held against anything. */
export interface SurfaceErrors {
  /** of all places alike, independent of one another, by what they come from */
  shiftsMm: Readonly<Record<string, number>>;
  /** of one place, from noise, which is the same over so much of the surface */
  noiseMm: number;
  patchMm2: number;
  /** expanded uncertainty (k = 2) of each vertex along its normal; NaN where the scan does not carry it */
  placesMm: Float32Array;
  /** of one place of the reference */
  referenceMm: number;
  /** standard deviation of the edges' blur, with the voxels' own length */
  edgeMm: number;
  voxelMm: number;
}

/** The same of the deviations that were measured at the places of one of the two surfaces. */
export interface DeviationErrors extends Pick<SurfaceErrors, 'shiftsMm' | 'noiseMm' | 'patchMm2'> {
  /** of each place, because the scan rounds what is sharp there */
  edgesMm: Float32Array;
  /** the same, where it is the one that is furthest out */
  rimsMm: Float32Array;
  /** what each way in which the pose may be off does to a place */
  poseAt(v: number): number[];
  /** half widths (k = 2) by which a deviation has to lie beyond a limit to be surely beyond it, and within it to be within */
  bandMm: { beyond: Float32Array; within: Float32Array };
}

/**
 * What a scan does to a place on a sharp edge, over the deviation of its blur: on its own surface as a mean over them, and
 * of the one that is the furthest out; seen from the reference, whose edges are sharp, each is further away. Of blocks at
 * blurs of 0.6 to 1 voxel.
 */
const edgeShares = {
  scan: { mean: 0.33, furthest: 0.5 },
  reference: { mean: 0.5, furthest: 0.75 },
} as const;
/** And over the deviation of the noise of a clear edge, of the one that is furthest out: edges are flatter there. */
const noiseOfRims = 2;
/** Voxels times the mean curvature (1/mm): from here on what is bent counts as a sharp edge, rounded. */
const sharpBend = 0.25;

/** What is known of each place that was looked at. */
export interface LookedAt extends Pick<FittedPlaces, 'positions' | 'directions'> {
  side: keyof typeof edgeShares;
  /** as of the surface, one of each place; NaN where the scan does not carry it */
  placesMm: Float32Array;
  /** amount of the scan's mean curvature there, and the most that it is beside it, in 1/mm */
  curvatures: { own: Float32Array; near: Float32Array };
}

/** @param pose null where it was given: it holds as it is */
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
    // No scan shows how sharp an edge is: that it rounds them is no reason to doubt every one.
    within[v] = 2 * Math.sqrt(others2 + Math.min(single, usualMm) ** 2);
  }
  return { shiftsMm, noiseMm, patchMm2, edgesMm, rimsMm, poseAt, bandMm: { beyond, within } };
}

const sumSquares = (values: readonly number[]) => values.reduce((sum, value) => sum + value * value, 0);
