/** Initial guesses for the least-squares fits. */
import { cross, dot, unit } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import { solveRows } from '../linear/least-squares.ts';

/** A feature in the scaled frame of its points. */
export interface Shape {
  center: Vector3;
  direction: Vector3 | null;
  radius: number;
  /** cone: change of the radius along the axis */
  slope: number;
}

/** Two unit vectors perpendicular to a unit vector and to each other. */
export function spanPlane(direction: Vector3): [Vector3, Vector3] {
  const away: Vector3 = Math.abs(direction[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0];
  const u = unit(cross(direction, away));
  return [u, cross(direction, u)];
}

const place = (u: Vector3, v: Vector3, x: number, y: number): Vector3 =>
  [0, 1, 2].map((k) => u[k] * x + v[k] * y) as Vector3;

/**
 * Circle in the plane through the centroid: |p|² = 2 c·p + constant is linear (Kåsa 1976,
 * doi:10.1109/TIM.1976.6312298).
 */
export function guessCircle(points: readonly Vector3[], direction: Vector3): Shape {
  const [u, v] = spanPlane(direction);
  const flat = points.map((point): [number, number] => [dot(point, u), dot(point, v)]);
  const found = solveRows(
    flat.map(([x, y]) => [2 * x, 2 * y, 1]),
    flat.map(([x, y]) => x * x + y * y),
  );
  if (!found)
    throw new KernelError('BAD_INPUT', 'All points lie on one line, which does not determine a circle.');
  const [x, y, rest] = found;
  return { center: place(u, v, x, y), direction, radius: Math.sqrt(rest + x * x + y * y), slope: 0 };
}

export function guessSphere(points: readonly Vector3[]): Shape {
  const found = solveRows(
    points.map(([x, y, z]) => [2 * x, 2 * y, 2 * z, 1]),
    points.map(([x, y, z]) => x * x + y * y + z * z),
  );
  if (!found)
    throw new KernelError('BAD_INPUT', 'All points lie in one plane, which does not determine a sphere.');
  const [x, y, z, rest] = found;
  return { center: [x, y, z], direction: null, radius: Math.sqrt(rest + x * x + y * y + z * z), slope: 0 };
}

const directionsTried = 200;
const startsKept = 6;
/** Axes closer than this converge to the same one. */
const alike = Math.cos((12 * Math.PI) / 180);

/**
 * The best axis candidates for a cylinder or cone: for each of many directions, the squared distance from the axis is
 * linear in the unknowns, |p⊥|² = 2 c·p⊥ + A (+ B h + C h² for a cone, h the height).
 */
export function findAxes(
  kind: 'cylinder' | 'cone',
  points: readonly Vector3[],
  axes: readonly Vector3[],
): Shape[] {
  const tried = [...axes, ...spreadDirections(directionsTried)]
    .map((direction) => guessAround(kind, points, direction))
    .filter((each) => each !== null)
    .sort((a, b) => a.error - b.error);
  const kept: Shape[] = [];
  for (const { start } of tried) {
    const isKnown = kept.some(
      ({ direction }) => Math.abs(dot(direction as Vector3, start.direction as Vector3)) > alike,
    );
    if (!isKnown) kept.push(start);
    if (kept.length === startsKept) break;
  }
  if (kept.length === 0)
    throw new KernelError(
      'BAD_INPUT',
      `The points don't determine a ${kind}: several fit them equally well. Choose points spread over more of it.`,
    );
  return kept;
}

function guessAround(kind: 'cylinder' | 'cone', points: readonly Vector3[], direction: Vector3) {
  const [u, v] = spanPlane(direction);
  const seen = points.map((point) => [dot(point, u), dot(point, v), dot(point, direction)]);
  const rows = seen.map(([x, y, h]) => [2 * x, 2 * y, 1, ...(kind === 'cone' ? [h, h * h] : [])]);
  const squares = seen.map(([x, y]) => x * x + y * y);
  const found = solveRows(rows, squares);
  if (!found) return null;
  const [x, y, rest, linear = 0, square = 0] = found;
  const radius = Math.sqrt(Math.max(1e-12, rest + x * x + y * y));
  const slope = Math.sign(linear) * Math.sqrt(Math.max(0, square));
  const error = rows.reduce(
    (sum, row, i) => sum + (row.reduce((value, each, k) => value + each * found[k], 0) - squares[i]) ** 2,
    0,
  );
  const start: Shape = { center: place(u, v, x, y), direction, radius, slope };
  // Converts the error of a squared distance to that of a distance at this radius.
  return { start, error: error / (radius * radius) };
}

/** Directions spread evenly over a hemisphere, on a golden-angle spiral. */
function spreadDirections(count: number): Vector3[] {
  const turn = Math.PI * (3 - Math.sqrt(5));
  return Array.from({ length: count }, (_, i) => {
    const z = (i + 0.5) / count;
    const radius = Math.sqrt(1 - z * z);
    return [radius * Math.cos(i * turn), radius * Math.sin(i * turn), z];
  });
}
