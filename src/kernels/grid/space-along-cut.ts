/** Evenly spaced points along the lines of a cut, and the triangles around them. */
import type { PlaneRows, SurfaceCut } from './cut-surface.ts';

/** Maximum number of triangles read around a point. */
const maxPieces = 32;

/** A cut with its surface and plane. */
export interface PlacedCut extends SurfaceCut {
  positions: ArrayLike<number>;
  /** xyz at each vertex, outwards */
  normals: ArrayLike<number>;
  rows: PlaneRows;
  /** marks vertices without a value */
  missing: number;
}

/** The visible part of the plane, mm. */
export interface ViewBox {
  u: readonly [least: number, most: number];
  v: readonly [least: number, most: number];
}

export interface CutPlace {
  /** index of the preceding point of the cut */
  point: number;
  /** distance from that point, mm */
  beyondMm: number;
  u: number;
  v: number;
  value: number;
}

export interface CutTriangle {
  vertices: readonly [number, number, number];
  /** from the first corner to the others */
  edges: readonly [readonly number[], readonly number[]];
  /** unit vector, outwards */
  normal: readonly number[];
}

/**
 * Evenly spaced points along each line, with the scalar there; only those that are visible and have a value. Lines
 * shorter than half the spacing get none. O(points).
 */
export function spaceAlongCut(
  cut: PlacedCut,
  values: ArrayLike<number>,
  box: ViewBox,
  spacingMm: number,
): CutPlace[] {
  const { points, starts, missing } = cut;
  const places: CutPlace[] = [];
  const isSeen = (u: number, v: number) => u >= box.u[0] && u <= box.u[1] && v >= box.v[0] && v <= box.v[1];
  for (let line = 0; line + 1 < starts.length; line++) {
    const [first, last] = [starts[line], starts[line + 1] - 1];
    let lineMm = 0;
    for (let i = first; i < last; i++) lineMm += lengthAt(points, i);
    const count = Math.round(lineMm / spacingMm);
    const stepMm = lineMm / count;
    let next = stepMm / 2;
    let passedMm = 0;
    for (let i = first; i < last && count > 0; i++) {
      const pieceMm = lengthAt(points, i);
      for (; next <= passedMm + pieceMm; next += stepMm) {
        const beyondMm = next - passedMm;
        const share = pieceMm > 0 ? beyondMm / pieceMm : 0;
        const u = mix(points[2 * i], points[2 * i + 2], share);
        const v = mix(points[2 * i + 1], points[2 * i + 3], share);
        if (!isSeen(u, v)) continue;
        const [a, b] = [valueAt(cut, values, i), valueAt(cut, values, i + 1)];
        if (a !== missing && b !== missing)
          places.push({ point: i, beyondMm, u, v, value: mix(a, b, share) });
      }
      passedMm += pieceMm;
    }
  }
  return places;
}

/**
 * Mean of a vector per triangle around a point, weighted by the length of the cut in each triangle, normalized; null if
 * no triangle has a vector.
 *
 * @param stretchMm length along the line, centred at the point
 */
export function averageAlong(
  cut: PlacedCut,
  place: CutPlace,
  stretchMm: number,
  read: (triangle: CutTriangle) => readonly number[] | null,
): number[] | null {
  const line = findLine(cut.starts, place.point);
  const [first, end] = [cut.starts[line], cut.starts[line + 1] - 1];
  const sum = [0, 0, 0];
  const add = (piece: number, lengthMm: number) => {
    const triangle = readTriangle(cut, piece);
    const given = triangle && read(triangle);
    if (given) for (let k = 0; k < 3; k++) sum[k] += lengthMm * given[k];
  };
  const half = stretchMm / 2;
  let [low, high] = [place.point, place.point];
  let beforeMm = place.beyondMm;
  let afterMm = lengthAt(cut.points, place.point) - place.beyondMm;
  while (low > first && beforeMm < half) beforeMm += lengthAt(cut.points, --low);
  while (high + 1 < end && afterMm < half) afterMm += lengthAt(cut.points, ++high);
  // In a fine mesh a subset is sufficient: the time depends on the points, not on the triangles.
  const stride = Math.ceil((high - low + 1) / maxPieces);
  let fromMm = -beforeMm;
  for (let i = low; i <= high; i++) {
    const toMm = fromMm + lengthAt(cut.points, i);
    if ((i - low) % stride === 0) add(i, Math.min(half, toMm) - Math.max(-half, fromMm));
    fromMm = toMm;
  }
  const size = Math.hypot(...sum);
  return size > 0 ? sum.map((each) => each / size) : null;
}

const mix = (a: number, b: number, share: number) => a + (b - a) * share;

const lengthAt = (points: Float64Array, i: number) =>
  Math.hypot(points[2 * i + 2] - points[2 * i], points[2 * i + 3] - points[2 * i + 1]);

function valueAt({ edges, shares, missing }: PlacedCut, values: ArrayLike<number>, i: number): number {
  const [a, b] = [values[edges[2 * i]], values[edges[2 * i + 1]]];
  return a === missing || b === missing ? missing : mix(a, b, shares[i]);
}

/** Index of the line that contains a point. O(log lines). */
function findLine(starts: Uint32Array, point: number): number {
  let [low, high] = [0, starts.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= point) low = middle;
    else high = middle;
  }
  return low;
}

/** The triangle between two consecutive points of a cut; null if it is degenerate. */
function readTriangle(cut: PlacedCut, i: number): CutTriangle | null {
  const { positions, normals } = cut;
  const corners = findCorners(cut, i);
  if (!corners) return null;
  const [a, b, c] = corners;
  const p = [0, 1, 2].map((k) => positions[3 * b + k] - positions[3 * a + k]);
  const q = [0, 1, 2].map((k) => positions[3 * c + k] - positions[3 * a + k]);
  const across = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
  const size = Math.hypot(...across);
  if (size === 0) return null;
  // The cut does not store the triangle orientation; the vertex normals determine the outer side.
  const outwards = corners.reduce(
    (sum, vertex) => sum + across.reduce((part, each, k) => part + each * normals[3 * vertex + k], 0),
    0,
  );
  const normal = across.map((each) => (outwards < 0 ? -each : each) / size);
  return { vertices: [a, b, c], edges: [p, q], normal };
}

/**
 * The second point's edge belongs to the triangle itself. The first point's edge was stored by the previous triangle;
 * it is shared unless the line passes through a vertex, which then is the third corner. Corners are compared by
 * position, because triangles may not share vertices.
 */
function findCorners({ positions, edges, shares }: PlacedCut, i: number): [number, number, number] | null {
  const isSamePlace = (a: number, b: number) =>
    a === b || [0, 1, 2].every((k) => positions[3 * a + k] === positions[3 * b + k]);
  const [b, c] = [edges[2 * i + 2], edges[2 * i + 3]];
  const others = [edges[2 * i], edges[2 * i + 1]].filter((a) => !isSamePlace(a, b) && !isSamePlace(a, c));
  const a = others.length === 2 && shares[i] > 0.5 ? others[1] : others[0];
  return a === undefined ? null : [a, b, c];
}
