import { MeshoptSimplifier } from 'meshoptimizer';
import { leaveOutFins } from '#kernels/mesh/fins.ts';
import { keepUsedVertices } from '#kernels/mesh/keep-used-vertices.ts';
import { isClosed } from '#kernels/mesh/measure.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';

/**
 * On flat faces a collapse occasionally lays two triangles onto each other; with slightly fewer triangles the result is
 * clean.
 */
const tries = [1, 0.98, 0.95, 0.91, 0.86, 0.8];

/**
 * Simplifies to about `targetTriangles` triangles by quadric edge collapse onto existing vertices (Garland and Heckbert
 * 1997, doi:10.1145/258734.258849). Closed meshes stay closed. A mesh that is small enough is returned unchanged.
 */
export async function simplifyMesh(mesh: TriangleMesh, targetTriangles: number): Promise<TriangleMesh> {
  if (mesh.indices.length <= 3 * targetTriangles) return mesh;
  await MeshoptSimplifier.ready;
  // Normals and scalars do not influence the simplification; the remaining vertices keep theirs.
  const simplified = (target: number) => {
    const corners = 3 * Math.round(target);
    const [indices] = MeshoptSimplifier.simplify(mesh.indices, mesh.positions, 3, corners, Number.MAX_VALUE);
    return leaveOutFins(indices, mesh.positions.length / 3);
  };
  const vertices = mesh.positions.length / 3;
  const first = simplified(targetTriangles);
  if (isClosed(vertices, first) || !isClosed(vertices, mesh.indices)) return keepUsedVertices(mesh, first);
  for (const share of tries.slice(1)) {
    const indices = simplified(share * targetTriangles);
    if (isClosed(vertices, indices)) return keepUsedVertices(mesh, indices);
  }
  return keepUsedVertices(mesh, first);
}

/** Size of the simplified surface drawn in place of a large one: what a processor draws in a tenth of a second. */
export const drawnTriangles = 300_000;

/**
 * Simplifies for display in one pass; the result may be open, since nothing is measured on it. Vertices keep their
 * values.
 */
export async function simplifyForDrawing(mesh: TriangleMesh): Promise<TriangleMesh> {
  if (mesh.indices.length <= 3 * drawnTriangles) return mesh;
  await MeshoptSimplifier.ready;
  const { indices, positions } = mesh;
  const [kept] = MeshoptSimplifier.simplify(indices, positions, 3, 3 * drawnTriangles, Number.MAX_VALUE);
  return keepUsedVertices(mesh, kept);
}
