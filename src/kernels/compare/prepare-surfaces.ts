/** What has to be known of two surfaces before the distances between them mean anything. */
import type { BoxMm } from '../grid/region.ts';
import { partsOf } from '../mesh/measure.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { componentsOf } from './reference-groups.ts';

type Mesh = { positions: Float32Array; indices: Uint32Array };

/** Six times the volume between a triangle and a point near the mesh. */
function wedge6({ positions: p, indices }: Mesh, t: number, ox: number, oy: number, oz: number): number {
  const [a, b, c] = [3 * indices[3 * t], 3 * indices[3 * t + 1], 3 * indices[3 * t + 2]];
  const [ax, ay, az] = [p[a] - ox, p[a + 1] - oy, p[a + 2] - oz];
  const [bx, by, bz] = [p[b] - ox, p[b + 1] - oy, p[b + 2] - oz];
  const [cx, cy, cz] = [p[c] - ox, p[c + 1] - oy, p[c + 2] - oz];
  return ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
}

/** Signed volume of each part (mm³), 0 … n−1. @param partOfTriangle number of each triangle's part */
function volumesOf(mesh: Mesh, partOfTriangle: Uint32Array, parts: number): Float64Array {
  const volumes = new Float64Array(parts);
  const [ox, oy, oz] = mesh.positions;
  for (let t = 0; t < partOfTriangle.length; t++) {
    volumes[partOfTriangle[t]] += wedge6(mesh, t, ox, oy, oz) / 6;
  }
  return volumes;
}

/**
 * The mesh with its triangles turned around when it encloses a negative volume: then it was written inside out, and
 * every sign would be wrong.
 */
export function facingOutward<M extends TriangleMesh>(mesh: M): { mesh: M; wasTurned: boolean } {
  const all = new Uint32Array(mesh.indices.length / 3);
  if (all.length === 0 || volumesOf(mesh, all, 1)[0] >= 0) return { mesh, wasTurned: false };
  const indices = mesh.indices.slice();
  for (let i = 0; i < indices.length; i += 3) {
    [indices[i + 1], indices[i + 2]] = [indices[i + 2], indices[i + 1]];
  }
  return { mesh: { ...mesh, indices }, wasTurned: true };
}

export interface MeshPart {
  mesh: TriangleMesh;
  /** number in the whole mesh of each of its vertices */
  vertices: Uint32Array;
}

/** Some of the triangles, with the vertices that they use, all in their old order. Scalars stay behind. */
export function partOf(mesh: TriangleMesh, isKept: (a: number, b: number, c: number) => boolean): MeshPart {
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

/** Which vertices lie in a box; 1 each. */
export const verticesIn = ({ positions }: Mesh, { min, max }: BoxMm): Uint8Array =>
  Uint8Array.from({ length: positions.length / 3 }, (_, v) =>
    min.every((low, k) => positions[3 * v + k] >= low && positions[3 * v + k] <= max[k]) ? 1 : 0,
  );

export interface InnerVoids {
  /** voids of the scan that the reference doesn't have */
  count: number;
  /** 1 for each of their vertices */
  isVoid: Uint8Array;
}

/**
 * Pores of the scan: closed surfaces around air inside the material whose closest place on the reference isn't itself
 * the wall of a void. They are no deviation of the part's shape; integrity analysis measures them.
 * @param closestTriangles of the reference, 1 a vertex of the scan
 */
export function poresOf(scan: Mesh, reference: Mesh, closestTriangles: Uint32Array): InnerVoids {
  const vertices = scan.positions.length / 3;
  const isVoid = new Uint8Array(vertices);
  const roots = partsOf(vertices, scan.indices);
  const ofTriangle = Uint32Array.from(
    { length: scan.indices.length / 3 },
    (_, t) => roots[scan.indices[3 * t]],
  );
  const volumes = volumesOf(scan, ofTriangle, vertices);
  if (!volumes.some((volume) => volume < 0)) return { count: 0, isVoid };
  const referenceParts = componentsOf(reference);
  const parts = referenceParts.reduce((most, part) => Math.max(most, part + 1), 0);
  const referenceVolumes = volumesOf(reference, referenceParts, parts);
  // How many of a void's vertices have a wall of a reference's void closest to them, less those that haven't.
  const votes = new Int32Array(vertices);
  for (let v = 0; v < vertices; v++) {
    if (!(volumes[roots[v]] < 0)) continue;
    const part = referenceParts[closestTriangles[v]];
    votes[roots[v]] += part !== undefined && referenceVolumes[part] < 0 ? 1 : -1;
  }
  let count = 0;
  for (let v = 0; v < vertices; v++) {
    if (!(volumes[roots[v]] < 0) || votes[roots[v]] > 0) continue;
    isVoid[v] = 1;
    if (roots[v] === v) count++;
  }
  return { count, isVoid };
}
