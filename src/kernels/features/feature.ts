/**
 * Geometric features fitted to points: lines, planes, circles, spheres, cylinders, cones. Lengths in mm, angles in
 * degrees.
 */
import type { Vector3 } from '../grid/volume.ts';

export const featureKinds = ['line', 'plane', 'circle', 'sphere', 'cylinder', 'cone'] as const;
export type FeatureKind = (typeof featureKinds)[number];

/** Minimum number of points; with fewer, several features would fit equally well. */
export const minPoints: Record<FeatureKind, number> = {
  line: 2,
  plane: 3,
  circle: 3,
  sphere: 4,
  cylinder: 6,
  cone: 7,
};

export interface Feature {
  kind: FeatureKind;
  /** line, plane, axis: the point on it nearest to the centroid of the points; circle, sphere: the centre */
  centerMm: Vector3;
  /** line, axis: along it; plane, circle: the normal; unit vector; null for a sphere */
  direction: Vector3 | null;
  /** cone: radius at `centerMm` */
  radiusMm: number | null;
  /** cone: full angle between opposite sides */
  apexAngleDeg: number | null;
}

/**
 * Standard uncertainties of a feature for independent standard uncertainties of 1 mm per point, normal to the feature.
 */
export interface Sensitivity {
  center: number;
  directionRad: number;
  radius: number;
  apexAngleRad: number;
}

export interface Fit {
  feature: Feature;
  /** signed distance of each point from the feature, outwards positive; for line and circle unsigned */
  residualsMm: Float64Array;
  /** root mean square of the residuals; of a circle only of those in its plane. Never more than the form error. */
  rmsMm: number;
  /**
   * Peak to valley: flatness of a plane, roundness over all points of a circle, sphere, cylinder or cone; for a line
   * the diameter of the cylinder around it that contains all points.
   */
  formErrorMm: number;
  pointCount: number;
  /** degrees of freedom: residuals minus parameters */
  freedom: number;
  /** factor, at least 1, by which residuals that are alike at neighbouring points widen the uncertainties of the feature */
  alike: number;
  sensitivity: Sensitivity;
}
