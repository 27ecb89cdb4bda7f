import type { BoxMm } from '../grid/region.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';

export interface MeshPart {
  mesh: TriangleMesh;
  /** original number of each vertex */
  vertices: Uint32Array;
}

/** Selects triangles, with the vertices that they use, in their original order. Scalars are dropped. */
export function pickTriangles(
  mesh: TriangleMesh,
  isKept: (a: number, b: number, c: number) => boolean,
): MeshPart {
  const { positions, indices } = mesh;
  const used = new Uint8Array(positions.length / 3);
  let corners = 0;
  const kept = new Uint32Array(indices.length);
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [indices[t], indices[t + 1], indices[t + 2]];
    if (!isKept(a, b, c)) continue;
    kept[corners++] = a;
    kept[corners++] = b;
    kept[corners++] = c;
    used[a] = used[b] = used[c] = 1;
  }
  const numbers = new Uint32Array(used.length);
  let count = 0;
  for (let v = 0; v < used.length; v++) if (used[v]) numbers[v] = count++;
  const vertices = new Uint32Array(count);
  for (let v = 0; v < used.length; v++) if (used[v]) vertices[numbers[v]] = v;
  const pick = (values: Float32Array) => {
    const picked = new Float32Array(3 * count);
    for (let v = 0; v < count; v++) {
      picked.set(values.subarray(3 * vertices[v], 3 * vertices[v] + 3), 3 * v);
    }
    return picked;
  };
  return {
    mesh: {
      positions: pick(positions),
      indices: kept.subarray(0, corners).map((v) => numbers[v]),
      ...(mesh.normals ? { normals: pick(mesh.normals) } : {}),
    },
    vertices,
  };
}

/** For each point 1 when it lies in the box, otherwise 0. */
export const findPointsIn = (positions: Float32Array | Float64Array, { min, max }: BoxMm): Uint8Array =>
  Uint8Array.from({ length: positions.length / 3 }, (_, v) =>
    min.every((low, k) => positions[3 * v + k] >= low && positions[3 * v + k] <= max[k]) ? 1 : 0,
  );
