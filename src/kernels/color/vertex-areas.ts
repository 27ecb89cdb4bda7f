import type { TriangleMesh } from '../mesh/mesh.ts';
import { spanTriangle } from '../mesh/span-triangle.ts';
import { missingValue } from './weighted-histogram.ts';

/**
 * Area around each vertex (a third of each of its triangles, mm²), and area-weighted normals if the file has none.
 * O(triangles).
 */
export function vertexAreasAndNormals(mesh: TriangleMesh): {
  vertexAreasMm2: Float32Array<ArrayBuffer>;
  normals: Float32Array<ArrayBuffer>;
  areaMm2: number;
} {
  const { positions: p, indices } = mesh;
  const areas = new Float32Array(p.length / 3);
  const normals = new Float32Array(p.length);
  const normal = new Float64Array(3);
  let areaMm2 = 0;
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [indices[t], indices[t + 1], indices[t + 2]];
    spanTriangle(p, 3 * a, 3 * b, 3 * c, normal);
    const area = Math.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2) / 2;
    areaMm2 += area;
    for (const vertex of [a, b, c]) {
      areas[vertex] += area / 3;
      for (let axis = 0; axis < 3; axis++) normals[3 * vertex + axis] += normal[axis];
    }
  }
  for (let i = 0; i < normals.length; i += 3) {
    const length = Math.hypot(normals[i], normals[i + 1], normals[i + 2]) || 1;
    normals[i] /= length;
    normals[i + 1] /= length;
    normals[i + 2] /= length;
  }
  return { vertexAreasMm2: areas, normals: mesh.normals ? new Float32Array(mesh.normals) : normals, areaMm2 };
}

/** Scalars with NaN and infinities replaced by `missingValue`. */
export function withoutNaN(scalars: TriangleMesh['scalars']): Record<string, Float32Array<ArrayBuffer>> {
  return Object.fromEntries(
    Object.entries(scalars ?? {}).map(([name, values]) => [
      name,
      Float32Array.from(values, (value) => (Number.isFinite(value) && value > -3e38 ? value : missingValue)),
    ]),
  );
}

export function measureBounds(positions: Float32Array): {
  min: [number, number, number];
  max: [number, number, number];
} {
  const min: [number, number, number] = [Infinity, Infinity, Infinity];
  const max: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      if (positions[i + k] < min[k]) min[k] = positions[i + k];
      if (positions[i + k] > max[k]) max[k] = positions[i + k];
    }
  }
  return positions.length > 0 ? { min, max } : { min: [0, 0, 0], max: [0, 0, 0] };
}
