import { measureBounds } from './bounds.ts';
import { DisjointSets } from './disjoint-sets.ts';
import { eachEdge } from './sort-edges.ts';

export interface MeshFacts {
  vertices: number;
  triangles: number;
  /** enclosed volume; null when the surface is not closed, because the sum over its triangles is then meaningless */
  volumeMm3: number | null;
  /** why there is no volume; null when there is one */
  volumeReason: string | null;
  areaMm2: number;
  /** every side of a triangle belongs to exactly one other triangle, with the same orientation */
  watertight: boolean;
  /** number of connected components; an inner void counts as a component of its own */
  components: number;
  boundsMm: { min: [number, number, number]; max: [number, number, number] };
}

/**
 * Volume, area, connected components and closedness of an indexed mesh. O(triangles).
 * @param positions xyz in mm, 3 · vertices
 * @param indices three vertex numbers per triangle, counter-clockwise seen from outside
 */
export function measureMesh(positions: Float32Array, indices: Uint32Array): MeshFacts {
  const vertices = positions.length / 3;
  const triangles = indices.length / 3;
  const boundsMm = measureBounds(positions);
  const { min, max } = boundsMm;
  // Tetrahedra from the centre of the bounding box rather than from the origin: less cancellation for distant meshes.
  const ox = (min[0] + max[0]) / 2;
  const oy = (min[1] + max[1]) / 2;
  const oz = (min[2] + max[2]) / 2;
  let volume6 = 0;
  let area2 = 0;
  for (let t = 0; t < indices.length; t += 3) {
    const a = indices[t] * 3;
    const b = indices[t + 1] * 3;
    const c = indices[t + 2] * 3;
    const ax = positions[a] - ox;
    const ay = positions[a + 1] - oy;
    const az = positions[a + 2] - oz;
    const ux = positions[b] - ox - ax;
    const uy = positions[b + 1] - oy - ay;
    const uz = positions[b + 2] - oz - az;
    const vx = positions[c] - ox - ax;
    const vy = positions[c + 1] - oy - ay;
    const vz = positions[c + 2] - oz - az;
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    area2 += Math.sqrt(nx * nx + ny * ny + nz * nz);
    volume6 += ax * nx + ay * ny + az * nz;
  }
  const volumeReason = explainOpenSides(countOpenSides(vertices, indices));
  return {
    vertices,
    triangles,
    volumeMm3: volumeReason === null ? volume6 / 6 : null,
    volumeReason,
    areaMm2: area2 / 2,
    watertight: volumeReason === null,
    components: countParts(vertices, indices),
    boundsMm,
  };
}

/** Edges of a mesh at which it is not closed, by kind. */
export interface OpenSides {
  triangles: number;
  /** edges of a single triangle */
  open: number;
  /** edges of more than two triangles, or of a degenerate triangle */
  crowded: number;
  /** edges whose two triangles have opposite orientation */
  clashing: number;
}

/** Why a mesh encloses no volume, as a sentence; null when it is closed. */
export function explainOpenSides({ triangles, open, crowded, clashing }: OpenSides): string | null {
  if (triangles === 0) return 'There is no triangle.';
  const edges = (count: number) => (count === 1 ? '1 edge' : `${count} edges`);
  const found = [
    ...(open > 0 ? [`${edges(open)} with one triangle only`] : []),
    ...(crowded > 0 ? [`${edges(crowded)} with more than two triangles`] : []),
    ...(clashing > 0 ? [`${edges(clashing)} whose triangles have opposite orientation`] : []),
  ];
  return found.length === 0 ? null : `The surface is not closed: ${found.join(', ')}.`;
}

/** Whether each edge has exactly two triangles with the same orientation. */
export const isClosed = (vertices: number, indices: Uint32Array): boolean =>
  explainOpenSides(countOpenSides(vertices, indices)) === null;

/** Counts the edges that are not shared by exactly two triangles. */
export function countOpenSides(vertices: number, indices: Uint32Array): OpenSides {
  const found: OpenSides = { triangles: indices.length / 3, open: 0, crowded: 0, clashing: 0 };
  eachEdge(vertices, indices, (corners, from, to) => {
    const corner = corners[from];
    const isPoint = indices[corner] === indices[corner % 3 === 2 ? corner - 2 : corner + 1];
    if (isPoint || to - from > 2) found.crowded++;
    else if (to - from === 1) found.open++;
    // The second triangle runs along the edge in the opposite direction.
    else if (indices[corner] === indices[corners[to - 1]]) found.clashing++;
  });
  return found;
}

/** For each vertex the smallest vertex number of its connected component. */
export function listParts(vertices: number, indices: Uint32Array): Uint32Array {
  const sets = new DisjointSets(vertices);
  for (let t = 0; t < indices.length; t += 3) {
    sets.join(indices[t], indices[t + 1]);
    sets.join(indices[t + 1], indices[t + 2]);
  }
  const parts = new Uint32Array(vertices);
  for (let v = 0; v < vertices; v++) parts[v] = sets.root(v);
  return parts;
}

/** Number of components that have at least one triangle. */
function countParts(vertices: number, indices: Uint32Array): number {
  const parts = listParts(vertices, indices);
  const seen = new Uint8Array(vertices);
  let count = 0;
  for (let t = 0; t < indices.length; t += 3) {
    const part = parts[indices[t]];
    if (seen[part] === 0) {
      seen[part] = 1;
      count++;
    }
  }
  return count;
}
