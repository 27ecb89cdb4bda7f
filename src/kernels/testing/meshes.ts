import type { Vector3 } from '../grid/volume.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';

/** A closed mesh over a grid that wraps around in both directions, as a torus does. */
export function torusMesh(ring: number, tube: number, around: number, across: number): TriangleMesh {
  const positions = new Float32Array(3 * around * across);
  const indices = new Uint32Array(6 * around * across);
  for (let i = 0; i < around; i++) {
    for (let j = 0; j < across; j++) {
      const u = (2 * Math.PI * i) / around;
      const v = (2 * Math.PI * j) / across;
      const at = i * across + j;
      const radius = ring + tube * Math.cos(v);
      positions.set([radius * Math.cos(u), radius * Math.sin(u), tube * Math.sin(v)], 3 * at);
      const right = ((i + 1) % around) * across + j;
      const up = i * across + ((j + 1) % across);
      const both = ((i + 1) % around) * across + ((j + 1) % across);
      indices.set([at, right, both, at, both, up], 6 * at);
    }
  }
  return { positions, indices };
}

/** A sphere of rings and sectors with two poles. */
export function sphereMesh(radius: number, rings: number, sectors: number): TriangleMesh {
  const positions: number[] = [0, 0, radius];
  const indices: number[] = [];
  for (let i = 1; i < rings; i++) {
    for (let j = 0; j < sectors; j++) {
      const [v, u] = [(Math.PI * i) / rings, (2 * Math.PI * j) / sectors];
      positions.push(
        radius * Math.sin(v) * Math.cos(u),
        radius * Math.sin(v) * Math.sin(u),
        radius * Math.cos(v),
      );
    }
  }
  positions.push(0, 0, -radius);
  const last = positions.length / 3 - 1;
  const at = (i: number, j: number) => 1 + (i - 1) * sectors + (j % sectors);
  for (let j = 0; j < sectors; j++) {
    indices.push(0, at(1, j), at(1, j + 1), last, at(rings - 1, j + 1), at(rings - 1, j));
    for (let i = 1; i < rings - 1; i++) {
      indices.push(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j), at(i + 1, j + 1), at(i, j + 1));
    }
  }
  return { positions: new Float32Array(positions), indices: new Uint32Array(indices) };
}

/**
 * The surface of a set of unit cubes, given by their lower corners: sharp edges and inner corners. Cubes may touch only
 * by faces, otherwise the surface is not a manifold. Corners are shared.
 */
export function cubesMesh(cubes: readonly Vector3[]): TriangleMesh {
  const filled = new Set(cubes.map(String));
  const numbers = new Map<string, number>();
  const positions: number[] = [];
  const indices: number[] = [];
  const vertex = (at: number[]) => {
    const key = String(at);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size);
    positions.push(...at);
    return numbers.size - 1;
  };
  for (const cube of cubes) {
    for (let axis = 0; axis < 3; axis++) {
      for (const side of [0, 1]) {
        const neighbour = cube.map((c, k) => (k === axis ? c + 2 * side - 1 : c));
        if (filled.has(String(neighbour))) continue;
        const corner = (u: number, v: number) =>
          vertex(cube.map((c, k) => c + (k === axis ? side : k === (axis + 1) % 3 ? u : v)));
        const [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
        indices.push(...(side === 1 ? [a, b, c, a, c, d] : [a, c, b, a, d, c]));
      }
    }
  }
  return { positions: new Float32Array(positions), indices: new Uint32Array(indices) };
}

/** Gives each triangle its own corners, as in STL. */
export function makeSoup({ positions, indices }: TriangleMesh): TriangleMesh {
  const soup = new Float32Array(3 * indices.length);
  indices.forEach((vertex, i) => {
    soup.set(positions.subarray(3 * vertex, 3 * vertex + 3), 3 * i);
  });
  return { positions: soup, indices: Uint32Array.from(indices, (_, i) => i) };
}

/** Splits each triangle into four, repeatedly; flat faces stay flat within the rounding of float32. */
export function refined(mesh: TriangleMesh, times: number): TriangleMesh {
  if (times === 0) return mesh;
  const positions = Array.from(mesh.positions);
  const indices: number[] = [];
  const middles = new Map<number, number>();
  const middle = (a: number, b: number) => {
    const key = Math.min(a, b) * 0x4000000 + Math.max(a, b);
    const known = middles.get(key);
    if (known !== undefined) return known;
    const number = positions.length / 3;
    for (let k = 0; k < 3; k++) positions.push((positions[3 * a + k] + positions[3 * b + k]) / 2);
    middles.set(key, number);
    return number;
  };
  for (let t = 0; t < mesh.indices.length; t += 3) {
    const [a, b, c] = mesh.indices.subarray(t, t + 3);
    const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
    indices.push(a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca);
  }
  const next = { positions: new Float32Array(positions), indices: new Uint32Array(indices) };
  return refined(next, times - 1);
}

/** Joins meshes into one; they may intersect. */
export function joined(...meshes: TriangleMesh[]): TriangleMesh {
  const positions: number[] = [];
  const indices: number[] = [];
  for (const mesh of meshes) {
    const first = positions.length / 3;
    for (const value of mesh.positions) positions.push(value);
    for (const index of mesh.indices) indices.push(first + index);
  }
  return { positions: new Float32Array(positions), indices: new Uint32Array(indices) };
}
