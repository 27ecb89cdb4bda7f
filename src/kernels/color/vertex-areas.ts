import type { TriangleMesh } from '../mesh/mesh.ts';
import { missingValue } from './weighted-histogram.ts';

/**
 * Area around each vertex (a third of each of its triangles, mm²), and area-weighted normals where the file has none.
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
  let areaMm2 = 0;
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [indices[t], indices[t + 1], indices[t + 2]];
    const ux = p[3 * b] - p[3 * a];
    const uy = p[3 * b + 1] - p[3 * a + 1];
    const uz = p[3 * b + 2] - p[3 * a + 2];
    const vx = p[3 * c] - p[3 * a];
    const vy = p[3 * c + 1] - p[3 * a + 1];
    const vz = p[3 * c + 2] - p[3 * a + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    const area = Math.sqrt(nx * nx + ny * ny + nz * nz) / 2;
    areaMm2 += area;
    for (const vertex of [a, b, c]) {
      areas[vertex] += area / 3;
      normals[3 * vertex] += nx;
      normals[3 * vertex + 1] += ny;
      normals[3 * vertex + 2] += nz;
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

/** Scalars with every value that is no finite number replaced by `missingValue`. */
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
