/**
 * How the surface runs through a cell of 8 grid points, for each of the 256 patterns of material and air.
 *
 * Derived, not copied: on each face of the cell the surface is cut so that material corners stay apart (both cells that
 * share the face apply the same rule), the cuts join into closed loops, and each loop is triangulated. No triangle side
 * lies in a face unless it is one of the cuts, so two cells never share a side by chance: the mesh is a closed manifold
 * for every volume.
 *
 * Corners: bit dx + 2 dy + 4 dz. Edges: 0–3 along x at dy + 2 dz; 4–7 along y at dx + 2 dz; 8–11 along z at dx + 2 dy.
 */
const facesCounterClockwise = [
  [0, 4, 6, 2],
  [1, 3, 7, 5],
  [0, 1, 5, 4],
  [2, 6, 7, 3],
  [0, 2, 3, 1],
  [4, 5, 7, 6],
];

function edgeBetween(a: number, b: number): number {
  const low = a & b;
  const [x, y, z] = [low & 1, (low >> 1) & 1, (low >> 2) & 1];
  const along = a ^ b;
  if (along === 1) return y + 2 * z;
  if (along === 2) return 4 + x + 2 * z;
  return 8 + x + 2 * y;
}

const edgesOfFace = facesCounterClockwise.map((face) =>
  face.map((corner, i) => edgeBetween(corner, face[(i + 1) % 4])),
);
const onOneFace = (a: number, b: number) => edgesOfFace.some((face) => face.includes(a) && face.includes(b));

/** Midpoint of an edge, doubled so that it stays an integer. */
function findMiddle(edge: number): [number, number, number] {
  const [first, second] = [(edge & 1) * 2, ((edge >> 1) & 1) * 2];
  if (edge < 4) return [1, first, second];
  if (edge < 8) return [first, 1, second];
  return [first, second, 1];
}

function squaredLength(a: number, b: number): number {
  const p = findMiddle(a);
  const q = findMiddle(b);
  return (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2;
}

/** The closed loops of edges, each counter-clockwise as seen from air. */
function listLoops(pattern: number): number[][] {
  const inside = (corner: number) => ((pattern >> corner) & 1) === 1;
  const next = new Map<number, number>();
  for (const face of facesCounterClockwise) {
    for (let i = 0; i < 4; i++) {
      if (inside(face[i]) || !inside(face[(i + 1) % 4])) continue;
      // Material begins between corners i and i+1; the run ends at the next corner of air.
      let end = (i + 1) % 4;
      while (inside(face[(end + 1) % 4])) end = (end + 1) % 4;
      next.set(edgeBetween(face[i], face[(i + 1) % 4]), edgeBetween(face[end], face[(end + 1) % 4]));
    }
  }
  const loops: number[][] = [];
  while (next.size > 0) {
    const loop: number[] = [];
    let edge = next.keys().next().value as number;
    for (let to = next.get(edge); to !== undefined; to = next.get(edge)) {
      loop.push(edge);
      next.delete(edge);
      edge = to;
    }
    loops.push(loop);
  }
  return loops;
}

/** The triangulation of a loop with the shortest inner sides, none of which lies in a face. */
function triangulate(loop: number[]): { triangles: number[][]; cost: number } {
  if (loop.length < 3) return { triangles: [], cost: 0 };
  if (loop.length === 3) return { triangles: [loop], cost: 0 };
  let best: { triangles: number[][]; cost: number } = { triangles: [], cost: Number.POSITIVE_INFINITY };
  const last = loop.length - 1;
  // The side between the first and the last point belongs to one triangle, whose tip splits the rest.
  for (let tip = 1; tip < last; tip++) {
    let cost = 0;
    if (tip > 1) cost += inner(loop[0], loop[tip]);
    if (tip < last - 1) cost += inner(loop[tip], loop[last]);
    const left = triangulate(loop.slice(0, tip + 1));
    const right = triangulate(loop.slice(tip));
    cost += left.cost + right.cost;
    if (cost < best.cost) {
      best = {
        triangles: [[loop[0], loop[tip], loop[last]], ...left.triangles, ...right.triangles],
        cost,
      };
    }
  }
  return best;
}
const inner = (a: number, b: number) => (onOneFace(a, b) ? Number.POSITIVE_INFINITY : squaredLength(a, b));

export function trianglesOfPattern(pattern: number): number[][] {
  return listLoops(pattern).flatMap((loop) => triangulate(loop).triangles);
}

/** Bytes per pattern: the number of triangles, then three edges for each. */
export const patternBytes = 32;

export function caseTable(): Uint8Array {
  const table = new Uint8Array(256 * patternBytes);
  for (let pattern = 0; pattern < 256; pattern++) {
    const triangles = trianglesOfPattern(pattern);
    table[pattern * patternBytes] = triangles.length;
    table.set(triangles.flat(), pattern * patternBytes + 1);
  }
  return table;
}
