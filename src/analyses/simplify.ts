import { MeshoptSimplifier } from 'meshoptimizer';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';

/**
 * The mesh with about `targetTriangles` triangles, by quadric edge collapse onto existing vertices (Garland and
 * Heckbert 1997, doi:10.1145/258734.258849). Closed meshes stay closed. A mesh that is small enough comes back as it is.
 */
export async function simplifyMesh(mesh: TriangleMesh, targetTriangles: number): Promise<TriangleMesh> {
  if (mesh.indices.length <= 3 * targetTriangles) return mesh;
  await MeshoptSimplifier.ready;
  // Normals and scalars are not steered by: they are kept at the vertices that remain.
  const [indices] = MeshoptSimplifier.simplify(
    mesh.indices,
    mesh.positions,
    3,
    3 * targetTriangles,
    Number.MAX_VALUE,
  );
  return keptVertices(mesh, indices);
}

/** The vertices that triangles still use, renumbered in their old order. */
function keptVertices(mesh: TriangleMesh, indices: Uint32Array): TriangleMesh {
  const vertices = mesh.positions.length / 3;
  const numbers = new Uint32Array(vertices);
  for (const vertex of indices) numbers[vertex] = 1;
  let count = 0;
  for (let v = 0; v < vertices; v++) if (numbers[v] === 1) numbers[v] = ++count;
  const pick = (values: Float32Array, width: number) => {
    const kept = new Float32Array(count * width);
    for (let v = 0; v < vertices; v++) {
      if (numbers[v] === 0) continue;
      for (let k = 0; k < width; k++) kept[(numbers[v] - 1) * width + k] = values[v * width + k];
    }
    return kept;
  };
  return {
    positions: pick(mesh.positions, 3),
    indices: indices.map((vertex) => numbers[vertex] - 1),
    ...(mesh.normals ? { normals: pick(mesh.normals, 3) } : {}),
    ...(mesh.scalars
      ? {
          scalars: Object.fromEntries(
            Object.entries(mesh.scalars).map(([name, values]) => [name, pick(values, 1)]),
          ),
        }
      : {}),
  };
}
