/**
 * Intersection of a triangle mesh with a plane: polylines in the plane, each point with the mesh edge that contains it.
 */

export interface CutSurface {
  /** xyz of each vertex */
  positions: ArrayLike<number>;
  /** three vertex indices per triangle */
  indices: ArrayLike<number>;
}

/**
 * Transform from the frame of a surface to that of a plane, row by row: twelve numbers that map x, y, z, 1 to u, v and
 * the distance from the plane, in mm.
 */
export type PlaneRows = readonly number[];

export interface SurfaceCut {
  /** u and v of each point, mm, line by line; a closed line repeats its first point at the end */
  points: Float64Array;
  /** index of each line's first point, then the number of points */
  starts: Uint32Array;
  /** the two vertices of the edge that contains each point */
  edges: Uint32Array;
  /** position of each point on its edge, from the first vertex to the second, 0 to 1 */
  shares: Float32Array;
}

/** Calls `add` with triangle indices; may include triangles that don't cross the plane. */
export type VisitTriangles = (add: (triangle: number) => void) => void;

/** Positions are compared on a grid with this many steps across the cut: finer than anything that is drawn. */
const steps = 2 ** 25;

/**
 * Cuts a surface with a plane. A vertex in the plane counts as above it, so that each triangle is crossed at two edges
 * or not at all, and lines are closed where the surface is. Crossings are joined by position and not by vertex index,
 * so meshes without shared vertices, or with seams, give complete lines too.
 *
 * @param visit the triangles that may cross the plane; all by default
 * @returns lines in no particular order. O(visited + n log n) for n crossings.
 */
export function cutSurface(surface: CutSurface, rows: PlaneRows, visit?: VisitTriangles): SurfaceCut {
  const crossings = crossTriangles(surface, rows, visit ?? everyTriangle(surface.indices.length / 3));
  const { nodeOfEnd, firstOfNode, nextOfEnd } = joinEnds(crossings);
  const segments = crossings.count / 2;
  const used = new Uint8Array(segments);
  // End indices in line order: the first end of a line, then the far end of each of its segments.
  const order = new Uint32Array(crossings.count);
  const starts: number[] = [];
  let length = 0;
  const findUnused = (node: number) => {
    let end = firstOfNode[node];
    while (end >= 0 && used[end >> 1] === 1) end = nextOfEnd[end];
    return end;
  };
  const walkFrom = (first: number) => {
    starts.push(length);
    order[length++] = first;
    for (let from = first; from >= 0; from = findUnused(nodeOfEnd[from ^ 1])) {
      used[from >> 1] = 1;
      order[length++] = from ^ 1;
    }
  };
  // A segment whose ends coincide (the plane passes through a corner) is not part of a line.
  for (let s = 0; s < segments; s++) if (nodeOfEnd[2 * s] === nodeOfEnd[2 * s + 1]) used[s] = 1;
  for (let node = 0; node < firstOfNode.length; node++) {
    let left = 0;
    for (let end = firstOfNode[node]; end >= 0; end = nextOfEnd[end]) left += 1 - used[end >> 1];
    if (left % 2 === 1) walkFrom(findUnused(node));
  }
  for (let s = 0; s < segments; s++) if (used[s] === 0) walkFrom(2 * s);
  return gather(crossings, order.subarray(0, length), starts);
}

/** Values of a scalar at each point of a cut, linear along the edges; `missing` if an end of the edge has no value. */
export function valuesAlongCut(cut: SurfaceCut, scalar: ArrayLike<number>, missing: number): Float32Array {
  const { edges, shares } = cut;
  return Float32Array.from(shares, (share, i) => {
    const [a, b] = [scalar[edges[2 * i]], scalar[edges[2 * i + 1]]];
    return a === missing || b === missing ? missing : a + (b - a) * share;
  });
}

const everyTriangle =
  (count: number): VisitTriangles =>
  (add) => {
    for (let triangle = 0; triangle < count; triangle++) add(triangle);
  };

/** Ends of segments; consecutive pairs form a segment. */
interface Crossings {
  count: number;
  /** u and v of each end */
  places: Float64Array;
  /** first and second vertex of the edge of each end */
  edges: Uint32Array;
  shares: Float32Array;
}

function crossTriangles(
  { positions, indices }: CutSurface,
  rows: PlaneRows,
  visit: VisitTriangles,
): Crossings {
  let found = roomFor(1024);
  let count = 0;
  const [ux, uy, uz, u0, vx, vy, vz, v0, wx, wy, wz, w0] = rows;
  const measureDistance = (vertex: number) =>
    wx * positions[3 * vertex] + wy * positions[3 * vertex + 1] + wz * positions[3 * vertex + 2] + w0;
  const cross = (a: number, b: number, wa: number, wb: number) => {
    // Orders the vertices by position, so that an edge gives the same bits in each triangle, even with other vertex
    // indices.
    const isTurned = !isBefore(positions, a, b);
    const [p, q] = isTurned ? [b, a] : [a, b];
    const share = isTurned ? wb / (wb - wa) : wa / (wa - wb);
    const x = positions[3 * p] + (positions[3 * q] - positions[3 * p]) * share;
    const y = positions[3 * p + 1] + (positions[3 * q + 1] - positions[3 * p + 1]) * share;
    const z = positions[3 * p + 2] + (positions[3 * q + 2] - positions[3 * p + 2]) * share;
    if (count === found.shares.length) found = roomFor(2 * count, found);
    found.places[2 * count] = ux * x + uy * y + uz * z + u0;
    found.places[2 * count + 1] = vx * x + vy * y + vz * z + v0;
    found.edges[2 * count] = p;
    found.edges[2 * count + 1] = q;
    found.shares[count++] = share;
  };
  visit((triangle) => {
    const a = indices[3 * triangle];
    const b = indices[3 * triangle + 1];
    const c = indices[3 * triangle + 2];
    const wa = measureDistance(a);
    const wb = measureDistance(b);
    const wc = measureDistance(c);
    if (wa >= 0 !== wb >= 0) cross(a, b, wa, wb);
    if (wb >= 0 !== wc >= 0) cross(b, c, wb, wc);
    if (wc >= 0 !== wa >= 0) cross(c, a, wc, wa);
  });
  return { ...found, count };
}

function roomFor(ends: number, before?: Omit<Crossings, 'count'>): Omit<Crossings, 'count'> {
  const places = new Float64Array(2 * ends);
  const edges = new Uint32Array(2 * ends);
  const shares = new Float32Array(ends);
  if (before) {
    places.set(before.places);
    edges.set(before.edges);
    shares.set(before.shares);
  }
  return { places, edges, shares };
}

function isBefore(positions: ArrayLike<number>, a: number, b: number): boolean {
  for (let k = 0; k < 3; k++) {
    const difference = positions[3 * a + k] - positions[3 * b + k];
    if (difference !== 0) return difference < 0;
  }
  return a < b;
}

interface JoinedEnds {
  /** index of the position of each end */
  nodeOfEnd: Uint32Array;
  /** an end at each position, and for each end the next one at the same position; −1 = none */
  firstOfNode: Int32Array;
  nextOfEnd: Int32Array;
}

/** Assigns the same index to segment ends at the same position. */
function joinEnds({ count, places }: Crossings): JoinedEnds {
  let [minU, minV, maxU, maxV] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < 2 * count; i += 2) {
    minU = Math.min(minU, places[i]);
    maxU = Math.max(maxU, places[i]);
    minV = Math.min(minV, places[i + 1]);
    maxV = Math.max(maxV, places[i + 1]);
  }
  const step = Math.max(maxU - minU, maxV - minV, Number.MIN_VALUE) / steps;
  const nodeOfEnd = new Uint32Array(count);
  const firstOfNode = new Int32Array(count).fill(-1);
  const nextOfEnd = new Int32Array(count).fill(-1);
  const cells = new Int32Array(2 * count);
  // An open-addressing hash table: a Map with such keys takes ten times as long.
  const bits = Math.ceil(Math.log2(2 * count + 2));
  const table = new Int32Array(2 ** bits).fill(-1);
  let nodes = 0;
  for (let end = 0; end < count; end++) {
    const u = Math.round((places[2 * end] - minU) / step);
    const v = Math.round((places[2 * end + 1] - minV) / step);
    const mixed = Math.imul(u, 0x9e3779b1) ^ Math.imul(v, 0x85ebca6b);
    let at = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> (32 - bits);
    while (table[at] >= 0 && (cells[2 * table[at]] !== u || cells[2 * table[at] + 1] !== v))
      at = (at + 1) & (table.length - 1);
    if (table[at] < 0) {
      table[at] = nodes;
      cells[2 * nodes] = u;
      cells[2 * nodes + 1] = v;
      nodes++;
    }
    const node = table[at];
    nodeOfEnd[end] = node;
    nextOfEnd[end] = firstOfNode[node];
    firstOfNode[node] = end;
  }
  return { nodeOfEnd, firstOfNode: firstOfNode.subarray(0, nodes), nextOfEnd };
}

/** Points of the lines in order: the common end of two segments becomes one point. */
function gather({ places, edges, shares }: Crossings, order: Uint32Array, starts: number[]): SurfaceCut {
  const cut = {
    points: new Float64Array(2 * order.length),
    starts: Uint32Array.from([...starts, order.length]),
    edges: new Uint32Array(2 * order.length),
    shares: new Float32Array(order.length),
  };
  for (let i = 0; i < order.length; i++) {
    const end = order[i];
    cut.points[2 * i] = places[2 * end];
    cut.points[2 * i + 1] = places[2 * end + 1];
    cut.edges[2 * i] = edges[2 * end];
    cut.edges[2 * i + 1] = edges[2 * end + 1];
    cut.shares[i] = shares[end];
  }
  return cut;
}
