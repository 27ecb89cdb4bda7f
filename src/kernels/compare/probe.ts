/** A surface whose places are measured: where they are, which way they face, and what area each stands for. */
import { vertexAreas } from './deviation-statistics.ts';

type Mesh = { positions: Float32Array; indices: Uint32Array };

export interface Probe extends Mesh {
  /** the way out of the material at each vertex, xyz, of any length; 0 0 0 for a vertex without a triangle */
  directions: Float32Array;
  /** 1 a vertex */
  areaMm2: Float32Array;
}

/** Rounds for a surface of voxels, where a grain of two or three of them may face any way, though its wall does not. */
export const facingRounds = 3;

/** @param rounds how often each direction is made the mean of its neighbours' */
export function makeProbe(mesh: Mesh, rounds = 0): Probe {
  const { positions, indices } = mesh;
  return { positions, indices, directions: surfaceDirections(mesh, rounds), areaMm2: vertexAreas(mesh) };
}

/** Each triangle's normal counts by its area. O(triangles) a round. */
export function surfaceDirections({ positions, indices }: Mesh, rounds: number): Float32Array {
  const directions = new Float32Array(positions.length);
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [3 * indices[t], 3 * indices[t + 1], 3 * indices[t + 2]];
    const ux = positions[b] - positions[a];
    const uy = positions[b + 1] - positions[a + 1];
    const uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a];
    const vy = positions[c + 1] - positions[a + 1];
    const vz = positions[c + 2] - positions[a + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    add(directions, a, nx, ny, nz);
    add(directions, b, nx, ny, nz);
    add(directions, c, nx, ny, nz);
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
    // Sums grow about eighteenfold a round.
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
