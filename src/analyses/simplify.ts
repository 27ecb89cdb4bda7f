import { MeshoptSimplifier } from 'meshoptimizer';
import { keepUsedVertices } from '#kernels/mesh/keep-used-vertices.ts';
import { isClosed } from '#kernels/mesh/measure.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';

/** On flat faces a collapse now and then lays two triangles onto one another; a little fewer triangles come out clean. */
const tries = [1, 0.98, 0.95, 0.91, 0.86, 0.8];

/**
 * The mesh with about `targetTriangles` triangles, by quadric edge collapse onto existing vertices (Garland and
 * Heckbert 1997, doi:10.1145/258734.258849). Closed meshes stay closed. A mesh that is small enough comes back as it is.
 */
export async function simplifyMesh(mesh: TriangleMesh, targetTriangles: number): Promise<TriangleMesh> {
  if (mesh.indices.length <= 3 * targetTriangles) return mesh;
  await MeshoptSimplifier.ready;
  // Normals and scalars are not steered by: they are kept at the vertices that remain.
  const simplified = (target: number) => {
    const corners = 3 * Math.round(target);
    const [indices] = MeshoptSimplifier.simplify(mesh.indices, mesh.positions, 3, corners, Number.MAX_VALUE);
    return withoutFins(indices, mesh.positions.length / 3);
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

/**
 * Leaves out pairs of triangles over the same three vertices that face each other: a collapse folds the surface into
 * such fins, and their sides would belong to four triangles. What was closed is closed without them.
 */
function withoutFins(indices: Uint32Array, vertices: number): Uint32Array {
  // Each triangle from its lowest vertex on, so that fins have the other two the other way round.
  const turned = (t: number) => {
    const [a, b, c] = [indices[t], indices[t + 1], indices[t + 2]];
    if (a < b && a < c) return [a, b, c];
    return b < c ? [b, c, a] : [c, a, b];
  };
  const starts = new Uint32Array(vertices + 1);
  for (let t = 0; t < indices.length; t += 3) starts[turned(t)[0] + 1]++;
  for (let v = 0; v < vertices; v++) starts[v + 1] += starts[v];
  const fill = starts.slice(0, vertices);
  const triangles = new Uint32Array(indices.length / 3);
  const isFin = new Uint8Array(indices.length / 3);
  for (let t = 0; t < indices.length; t += 3) {
    const [low, second, third] = turned(t);
    for (let i = starts[low]; i < fill[low]; i++) {
      const other = triangles[i];
      const [, u, v] = turned(3 * other);
      if (isFin[other] === 1 || u !== third || v !== second) continue;
      isFin[other] = 1;
      isFin[t / 3] = 1;
      break;
    }
    triangles[fill[low]++] = t / 3;
  }
  return indices.filter((_, i) => isFin[Math.floor(i / 3)] === 0);
}
