import type { TriangleMesh } from './mesh.ts';

/** The mesh of the given triangles with the vertices that they use, renumbered in their original order. */
export function keepUsedVertices(mesh: TriangleMesh, indices: Uint32Array): TriangleMesh {
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
