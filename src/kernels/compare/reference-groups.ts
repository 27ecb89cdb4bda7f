/** Groups of the reference's triangles: connected components, smooth regions, or faces of the CAD. */
import { KernelError } from '../kernel-error.ts';
import { DisjointSets } from '../mesh/disjoint-sets.ts';
import { cornersAtPlaces } from './shared-corners.ts';

type Mesh = { positions: Float32Array; indices: Uint32Array };

/** Neighbouring triangles with a smaller angle belong to one region. */
const regionAngleDeg = 30;

/**
 * Connected components by position rather than by vertex number, so that triangle soups hold together.
 * @returns component of each triangle, 0 … n−1, in the order of their first triangles
 */
export function listComponents(mesh: Mesh): Uint32Array {
  const corners = cornersAtPlaces(mesh);
  const sets = new DisjointSets(mesh.positions.length / 3);
  for (let t = 0; t < corners.length; t += 3) {
    sets.join(corners[t], corners[t + 1]);
    sets.join(corners[t + 1], corners[t + 2]);
  }
  return numbered(Uint32Array.from({ length: corners.length / 3 }, (_, t) => sets.root(corners[3 * t])));
}

/**
 * Regions of a surface between its sharp edges: triangles that share a side and meet at an angle below 30°. A side of
 * more than two triangles separates them all. Degenerate triangles join no others.
 * @returns region of each triangle, 0 … n−1, in the order of their first triangles
 */
export function listRegions(mesh: Mesh): Uint32Array {
  const corners = cornersAtPlaces(mesh);
  const triangles = corners.length / 3;
  const normals = new Float64Array(corners.length);
  for (let t = 0; t < triangles; t++) unitNormal(mesh, t, normals);
  const sides = new Map<number, number>();
  const sharedBy = new Map<number, number[]>();
  const vertices = mesh.positions.length / 3;
  for (let t = 0; t < triangles; t++) {
    for (let k = 0; k < 3; k++) {
      const [a, b] = [corners[3 * t + k], corners[3 * t + ((k + 1) % 3)]];
      const key = Math.min(a, b) * vertices + Math.max(a, b);
      const first = sides.get(key);
      if (first === undefined) sides.set(key, t);
      else sharedBy.set(key, [...(sharedBy.get(key) ?? [first]), t]);
    }
  }
  const least = Math.cos((regionAngleDeg * Math.PI) / 180);
  const sets = new DisjointSets(triangles);
  for (const [a, b, ...more] of sharedBy.values()) {
    if (more.length > 0) continue;
    const dot =
      normals[3 * a] * normals[3 * b] +
      normals[3 * a + 1] * normals[3 * b + 1] +
      normals[3 * a + 2] * normals[3 * b + 2];
    if (dot >= least) sets.join(a, b);
  }
  return numbered(Uint32Array.from({ length: triangles }, (_, t) => sets.root(t)));
}

/**
 * Faces of the CAD as delivered with the mesh.
 * @param faces face of each triangle
 * @throws KernelError BAD_INPUT when there is not one for each triangle
 */
export function listCadFaces(mesh: Mesh, faces: Uint32Array | undefined): Uint32Array {
  const triangles = mesh.indices.length / 3;
  if (faces?.length === triangles) return faces;
  throw new KernelError(
    'BAD_INPUT',
    faces === undefined
      ? 'The reference has no CAD faces: group by component or region, or use a STEP file as the reference.'
      : `The reference has ${triangles} triangles, but faces are given for ${faces.length}.`,
  );
}

function unitNormal({ positions, indices }: Mesh, t: number, normals: Float64Array): void {
  const [a, b, c] = [3 * indices[3 * t], 3 * indices[3 * t + 1], 3 * indices[3 * t + 2]];
  const u = [0, 1, 2].map((k) => positions[b + k] - positions[a + k]);
  const v = [0, 1, 2].map((k) => positions[c + k] - positions[a + k]);
  const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.hypot(...n);
  for (let k = 0; k < 3; k++) normals[3 * t + k] = length > 0 ? n[k] / length : Number.NaN;
}

function numbered(roots: Uint32Array): Uint32Array {
  const numbers = new Map<number, number>();
  return roots.map((root) => {
    const known = numbers.get(root);
    if (known !== undefined) return known;
    numbers.set(root, numbers.size);
    return numbers.size - 1;
  });
}
