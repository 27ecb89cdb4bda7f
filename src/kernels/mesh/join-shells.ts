import { type MeshFacts, measureMesh } from './measure.ts';
import type { TriangleMesh } from './mesh.ts';

/**
 * The closed surface of a material: its outer boundary, and the boundary of the next denser material inside it with
 * reversed orientation. The volume is then that in between, the area that of both.
 */
export function joinShells(
  outer: TriangleMesh,
  inner: TriangleMesh | null,
): { mesh: TriangleMesh; facts: MeshFacts } {
  const mesh = inner ? joined(outer, inner) : outer;
  return { mesh, facts: measureMesh(mesh.positions, mesh.indices) };
}

function joined(outer: TriangleMesh, inner: TriangleMesh): TriangleMesh {
  const positions = new Float32Array(outer.positions.length + inner.positions.length);
  positions.set(outer.positions);
  positions.set(inner.positions, outer.positions.length);
  const indices = new Uint32Array(outer.indices.length + inner.indices.length);
  indices.set(outer.indices);
  const first = outer.positions.length / 3;
  for (let t = 0, to = outer.indices.length; t < inner.indices.length; t += 3, to += 3) {
    indices[to] = inner.indices[t] + first;
    indices[to + 1] = inner.indices[t + 2] + first;
    indices[to + 2] = inner.indices[t + 1] + first;
  }
  if (!outer.normals || !inner.normals) return { positions, indices };
  const normals = new Float32Array(positions.length);
  normals.set(outer.normals);
  for (let i = 0; i < inner.normals.length; i++) normals[outer.normals.length + i] = -inner.normals[i];
  return { positions, indices, normals };
}
