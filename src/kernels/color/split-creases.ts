/** Splits sharp edges of a surface, as in nominal geometry, so that shading is not smoothed across them. */
import { DisjointSets } from '../mesh/disjoint-sets.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { spanTriangle } from '../mesh/span-triangle.ts';

/** Facets of a well approximated round face meet at smaller angles, faces at an edge at larger ones. */
const creaseDegrees = 30;

/**
 * The mesh with separate vertices on either side of each edge that is sharper than 30°, so that each vertex normal
 * belongs to one face. The triangle order is unchanged; a mesh with its own normals is returned unchanged.
 * O(triangles).
 */
export function splitCreases(mesh: TriangleMesh): TriangleMesh {
  if (mesh.normals) return mesh;
  const { indices } = mesh;
  const count = mesh.positions.length / 3;
  const face = joinCorners(mesh, count);
  const own = new Int32Array(count).fill(-1);
  const split = new Map<number, number>();
  const sources: number[] = [];
  const moved = new Uint32Array(indices.length);
  for (let corner = 0; corner < indices.length; corner++) {
    const vertex = indices[corner];
    const root = face.root(corner);
    if (own[vertex] < 0) own[vertex] = root;
    if (own[vertex] === root) {
      moved[corner] = vertex;
      continue;
    }
    const known = split.get(root);
    moved[corner] = known ?? count + sources.length;
    if (known !== undefined) continue;
    split.set(root, count + sources.length);
    sources.push(vertex);
  }
  if (sources.length === 0) return mesh;
  const take = (values: Float32Array, width: number) => {
    const taken = new Float32Array(values.length + width * sources.length);
    taken.set(values);
    for (const [i, source] of sources.entries())
      taken.set(values.subarray(width * source, width * (source + 1)), values.length + width * i);
    return taken;
  };
  return {
    positions: take(mesh.positions, 3),
    indices: moved,
    ...(mesh.scalars && {
      scalars: Object.fromEntries(
        Object.entries(mesh.scalars).map(([name, values]) => [name, take(values, 1)]),
      ),
    }),
  };
}

/** Groups triangle corners of the same vertex that are connected through flat edges. */
function joinCorners({ positions, indices }: TriangleMesh, count: number): DisjointSets {
  const least = Math.cos((creaseDegrees * Math.PI) / 180);
  const normals = new Float64Array(indices.length);
  const normal = new Float64Array(3);
  for (let t = 0; t < indices.length; t += 3) {
    spanTriangle(positions, 3 * indices[t], 3 * indices[t + 1], 3 * indices[t + 2], normal);
    const length = Math.hypot(normal[0], normal[1], normal[2]);
    // A degenerate triangle has no normal, and does not separate its neighbours.
    for (let k = 0; k < 3; k++) normals[t + k] = length > 0 ? normal[k] / length : Number.NaN;
  }
  const corners = new DisjointSets(indices.length);
  const first = new Map<number, number>();
  for (let corner = 0; corner < indices.length; corner++) {
    const t = corner - (corner % 3);
    const next = t + ((corner + 1) % 3);
    const [a, b] = [indices[corner], indices[next]];
    const edge = Math.min(a, b) * count + Math.max(a, b);
    const other = first.get(edge);
    if (other === undefined) {
      first.set(edge, corner);
      continue;
    }
    const u = other - (other % 3);
    const along = normals[t] * normals[u] + normals[t + 1] * normals[u + 1] + normals[t + 2] * normals[u + 2];
    if (along < least) continue;
    const otherNext = u + ((other + 1) % 3);
    const isSame = indices[other] === a;
    corners.join(corner, isSame ? other : otherNext);
    corners.join(next, isSame ? otherNext : other);
  }
  return corners;
}
