/** A surface to be measured: positions, outward directions, and the area of each place. */

import { spanTriangle } from '../mesh/span-triangle.ts';
import { vertexAreas } from './deviation-statistics.ts';

type Mesh = { positions: Float32Array; indices: Uint32Array };

export interface Probe extends Mesh {
  /** outward direction at each vertex, xyz, of any length; 0 0 0 for a vertex without a triangle */
  directions: Float32Array;
  /** one per vertex */
  areaMm2: Float32Array;
}

/**
 * Smoothing rounds for a surface from voxels, where a grain of two or three voxels may face any way, unlike its wall.
 */
export const facingRounds = 3;

/** @param rounds how often each direction is replaced by the mean of its neighbours' */
export function makeProbe(mesh: Mesh, rounds = 0): Probe {
  const { positions, indices } = mesh;
  return { positions, indices, directions: surfaceDirections(mesh, rounds), areaMm2: vertexAreas(mesh) };
}

/** Area-weighted mean of the triangles' normals at each vertex. O(triangles) per round. */
export function surfaceDirections({ positions, indices }: Mesh, rounds: number): Float32Array {
  const directions = new Float32Array(positions.length);
  const normal = new Float64Array(3);
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [3 * indices[t], 3 * indices[t + 1], 3 * indices[t + 2]];
    spanTriangle(positions, a, b, c, normal);
    const x = normal[0];
    const y = normal[1];
    const z = normal[2];
    add(directions, a, x, y, z);
    add(directions, b, x, y, z);
    add(directions, c, x, y, z);
  }
  let now = directions;
  for (let round = 0; round < rounds; round++) {
    const next = new Float32Array(positions.length);
    for (let t = 0; t < indices.length; t += 3) {
      const [a, b, c] = [3 * indices[t], 3 * indices[t + 1], 3 * indices[t + 2]];
      const x = now[a] + now[b] + now[c];
      const y = now[a + 1] + now[b + 1] + now[c + 1];
      const z = now[a + 2] + now[b + 2] + now[c + 2];
      add(next, a, x, y, z);
      add(next, b, x, y, z);
      add(next, c, x, y, z);
    }
    // Sums grow about eighteenfold per round.
    for (let i = 0; i < next.length; i++) next[i] /= 18;
    now = next;
  }
  return now;
}

function add(sums: Float32Array, at: number, x: number, y: number, z: number): void {
  sums[at] += x;
  sums[at + 1] += y;
  sums[at + 2] += z;
}
