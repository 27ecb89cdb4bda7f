/** A search tree over a mesh of any size: meshes beyond 32-bit addresses are split into pieces. */

import type { KernelPool } from '../arena.ts';
import { measureBounds } from '../mesh/bounds.ts';
import {
  noTriangle,
  openOneTree,
  type SignedDistances,
  type SurfaceTree,
  type TreeOptions,
  type Triangles,
} from './surface-tree.ts';

/** More triangles than this may exceed 32-bit addresses. */
const maxTriangles = 8e6;

/**
 * See openOneTree. For a large mesh the answers are the same, except for which of two equally close triangles is named.
 * @param most triangles per piece; set by tests only
 */
export async function openTree(
  pool: KernelPool,
  mesh: Triangles,
  options: TreeOptions = {},
  most = maxTriangles,
): Promise<SurfaceTree> {
  const triangles = Math.floor(mesh.indices.length / 3);
  if (triangles <= most) return openOneTree(pool, mesh, options);
  const { pieces, pieceOf } = cutMesh(mesh, Math.ceil(triangles / most));
  const trees = await Promise.all(pieces.map((piece) => openOneTree(pool, piece.mesh, options)));
  return {
    async distances(query) {
      const found = await Promise.all(trees.map((tree) => tree.distances(query)));
      found.forEach(({ triangles }, p) => {
        triangles.forEach((t, i) => {
          if (t !== noTriangle) triangles[i] = pieces[p].numbers[t];
        });
      });
      return mergeDistances(found, pieceOf);
    },
    async closest({ points, slots }) {
      const count = points.length / 3;
      const found = await Promise.all(
        trees.map((tree, p) => tree.closest({ points, slots: slots?.subarray(p * count, (p + 1) * count) })),
      );
      const answers = found[0].answers.slice();
      for (const other of found.slice(1)) {
        for (let at = 0; at < answers.length; at += 8) {
          if (other.answers[at + 6] < answers[at + 6]) answers.set(other.answers.subarray(at, at + 8), at);
        }
      }
      return { answers, slots: Int32Array.from(found.flatMap((each) => Array.from(each.slots))) };
    },
    async close() {
      await Promise.all(trees.map((tree) => tree.close()));
    },
  };
}

interface Piece {
  mesh: Triangles;
  /** of its triangles in the whole mesh */
  numbers: Uint32Array;
}

/**
 * Splits along the longest side. Each piece also has all triangles that reach beside its own, so that the neighbourhood
 * of every point of its own triangles is complete.
 */
function cutMesh({ positions, indices }: Triangles, count: number): { pieces: Piece[]; pieceOf: Uint8Array } {
  const { min, max } = measureBounds(positions);
  const sides = max.map((value, k) => value - min[k]);
  const axis = sides.indexOf(Math.max(...sides));
  const all = Uint32Array.from({ length: Math.floor(indices.length / 3) }, (_, t) => t);
  const reach = (t: number) => [0, 1, 2].map((k) => positions[3 * indices[3 * t + k] + axis]);
  const low = Float32Array.from(all, (t) => Math.min(...reach(t)));
  const high = Float32Array.from(all, (t) => Math.max(...reach(t)));
  const sorted = low.toSorted();
  const ends = new Set(
    Array.from({ length: count - 1 }, (_, p) => sorted[Math.floor(((p + 1) * all.length) / count)]),
  );
  ends.delete(sorted[0]);
  const pieceOf = Uint8Array.from(low, (from) => [...ends].filter((end) => from >= end).length);
  const pieces = Array.from({ length: ends.size + 1 }, (_, p) => {
    let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const t of all) {
      // Corners that are NaN are ignored by the tree.
      if (pieceOf[t] !== p || Number.isNaN(low[t])) continue;
      from = Math.min(from, low[t]);
      to = Math.max(to, high[t]);
    }
    const numbers = all.filter((t) => high[t] >= from && low[t] <= to);
    const own = new Uint32Array(3 * numbers.length);
    numbers.forEach((t, i) => {
      own.set(indices.subarray(3 * t, 3 * t + 3), 3 * i);
    });
    return { mesh: { positions, indices: own }, numbers };
  });
  return { pieces, pieceOf };
}

/** The sign is taken from the piece of the closest triangle, because only there its neighbourhood is complete. */
function mergeDistances(found: readonly SignedDistances[], pieceOf: Uint8Array): SignedDistances {
  const triangles = found[0].triangles.slice();
  const distancesMm = found[0].distancesMm.map((distance, i) => {
    let least = Math.abs(distance);
    for (const other of found.slice(1)) {
      const own = Math.abs(other.distancesMm[i]);
      if (Number.isNaN(own) || own >= least) continue;
      least = own;
      triangles[i] = other.triangles[i];
    }
    return triangles[i] === noTriangle ? Number.NaN : found[pieceOf[triangles[i]]].distancesMm[i];
  });
  return { distancesMm, triangles };
}
