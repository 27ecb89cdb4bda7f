import type { Feature } from '../features/feature.ts';
import { spanPlane } from '../features/guess-feature.ts';
import { add, cross, dot, minus, scale, unit } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';

/** Shape of a measurement for drawing, in mm of the world. */
export interface MeasurementOutline {
  lines: Vector3[][];
  dots: readonly Vector3[];
  labelAt: Vector3 | null;
}

const steps = 64;

/** A measurement: points in mm of the world, and the feature fitted to them. */
export interface MeasurementShape {
  /** distance, angle, area, wall, profile: of its points or of two features with these centres; others: of a feature */
  kind: string;
  points: Vector3[];
  feature: Feature | null;
}

/** Lines and points of a measurement; only the points if its feature is not fitted yet. */
export function outlineMeasurement({ kind, points, feature }: MeasurementShape): MeasurementOutline {
  const first = points[0];
  const dots = points.length > 40 ? [] : points;
  if (!first) return { lines: [], dots: [], labelAt: null };
  if (feature) {
    const lines = outlineFeature(feature, points);
    // On the outline, because several features may share a centre.
    return { lines, dots, labelAt: lines[0]?.[steps / 8] ?? first };
  }
  switch (kind) {
    case 'angle': {
      const [one, vertex, other] = points;
      const lines = [points];
      if (one && vertex && other) lines.push(drawArc(one, vertex, other));
      return { lines, dots, labelAt: vertex ?? first };
    }
    case 'area':
      return { lines: [[...points, first]], dots, labelAt: average(points) };
    case 'distance':
    case 'wall':
    case 'profile':
    case 'featureDistance':
    case 'featureAngle':
      return { lines: [points], dots, labelAt: average(points) };
    default:
      return { lines: [], dots, labelAt: first };
  }
}

const average = (points: readonly Vector3[]): Vector3 =>
  scale(points.reduce<Vector3>(add, [0, 0, 0]), 1 / points.length);

/** An arc at the vertex, with a third of the length of the shorter arm as radius. */
function drawArc(one: Vector3, vertex: Vector3, other: Vector3): Vector3[] {
  const [a, b] = [minus(one, vertex), minus(other, vertex)];
  const radius = Math.min(Math.hypot(...a), Math.hypot(...b)) / 3;
  if (!(radius > 0)) return [];
  const along = unit(a);
  const across = minus(b, scale(along, dot(b, along)));
  if (!(Math.hypot(...across) > 0)) return [];
  const up = unit(across);
  const end = Math.atan2(dot(b, up), dot(b, along));
  return Array.from({ length: 25 }, (_, i) => {
    const angle = (end * i) / 24;
    return add(vertex, add(scale(along, radius * Math.cos(angle)), scale(up, radius * Math.sin(angle))));
  });
}

function drawCircle(center: Vector3, normal: Vector3, radius: number): Vector3[] {
  const [u, v] = spanPlane(normal);
  return Array.from({ length: steps + 1 }, (_, i) => {
    const angle = (2 * Math.PI * i) / steps;
    return add(center, add(scale(u, radius * Math.cos(angle)), scale(v, radius * Math.sin(angle))));
  });
}

function outlineFeature(feature: Feature, points: readonly Vector3[]): Vector3[][] {
  const { kind, centerMm, direction, radiusMm, apexAngleDeg } = feature;
  const along = points.map((point) => (direction ? dot(minus(point, centerMm), direction) : 0));
  const [low, high] = [Math.min(...along), Math.max(...along)];
  const radius = radiusMm ?? 0;
  if (!direction)
    return (
      [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ] as Vector3[]
    ).map((axis) => drawCircle(centerMm, axis, radius));
  const at = (height: number) => add(centerMm, scale(direction, height));
  if (kind === 'circle') return [drawCircle(centerMm, direction, radius)];
  if (kind === 'line') return [[at(low), at(high)]];
  if (kind === 'plane') {
    const reach = Math.max(...points.map((point) => Math.hypot(...cross(minus(point, centerMm), direction))));
    return [drawCircle(centerMm, direction, reach), [centerMm, at(reach / 4)]];
  }
  const slope = apexAngleDeg === null ? 0 : Math.tan((apexAngleDeg * Math.PI) / 360);
  const rings = [low, high].map((height) =>
    drawCircle(at(height), direction, Math.max(0, radius + slope * height)),
  );
  const sides = [0, steps / 4, steps / 2, (3 * steps) / 4].map((i) =>
    rings.flatMap((ring) => ring.slice(i, i + 1)),
  );
  return [...rings, ...sides, [at(low), at(high)]];
}
