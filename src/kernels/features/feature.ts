/** What is fitted to points: lines, planes, circles, spheres, cylinders, cones. Lengths mm, angles degrees. */
import type { Vector3 } from '../grid/volume.ts';

export const featureKinds = ['line', 'plane', 'circle', 'sphere', 'cylinder', 'cone'] as const;
export type FeatureKind = (typeof featureKinds)[number];

/** Points that each needs at least; with fewer several would fit equally well. */
export const fewestPoints: Record<FeatureKind, number> = {
  line: 2,
  plane: 3,
  circle: 3,
  sphere: 4,
  cylinder: 6,
  cone: 7,
};

export interface Feature {
  kind: FeatureKind;
  /** of a line, a plane or an axis the place on it nearest to the points' middle; of a circle and a sphere its centre */
  centerMm: Vector3;
  /** of a line and an axis along it, of a plane and a circle across it; unit vector; null for a sphere */
  direction: Vector3 | null;
  /** of a cone at `centerMm` */
  radiusMm: number | null;
  /** of a cone between its opposite sides */
  apexAngleDeg: number | null;
}

/** Standard uncertainties of a feature when each point's is 1 mm, across the feature and independent of the others. */
export interface Sensitivity {
  center: number;
  directionRad: number;
  radius: number;
  apexAngleRad: number;
}

export interface Fit {
  feature: Feature;
  /** of each point across the feature, outwards positive; of a line and a circle the distance */
  residualsMm: Float64Array;
  rmsMm: number;
  /**
   * Peak to valley: of a plane flatness, of a circle, sphere, cylinder and cone roundness over all points; of a line the
   * diameter of the cylinder around it that holds all points.
   */
  formErrorMm: number;
  pointCount: number;
  /** points beyond those that determine the feature */
  freedom: number;
  sensitivity: Sensitivity;
}
