import { expect, test } from 'vitest';
import { seededRandom } from '../random.ts';
import { eachEdge } from './sort-edges.ts';

/** Corners of each edge by its vertices, from a search over all of them. */
function listByHand(indices: Uint32Array): Record<string, number[]> {
  const edges: Record<string, number[]> = {};
  for (let corner = 0; corner < indices.length; corner++) {
    const ends = [indices[corner], indices[corner % 3 === 2 ? corner - 2 : corner + 1]];
    const name = `${Math.min(...ends)}-${Math.max(...ends)}`;
    edges[name] = [...(edges[name] ?? []), corner];
  }
  return edges;
}

test.each([
  ['a few vertices, most edges shared by many triangles', 6, 400],
  ['many vertices', 300, 500],
  ['one vertex of all triangles', 900, 450],
] as const)('each edge is visited once with its corners in order: %s', (name, vertices, triangles) => {
  const seed = 11;
  const random = seededRandom(seed);
  const indices = Uint32Array.from({ length: 3 * triangles }, (_, corner) =>
    name.startsWith('one') && corner % 3 === 0 ? 0 : Math.floor(vertices * random()),
  );
  const found: Record<string, number[]> = {};
  eachEdge(vertices, indices, (corners, from, to) => {
    const ends = [
      indices[corners[from]],
      indices[corners[from] % 3 === 2 ? corners[from] - 2 : corners[from] + 1],
    ];
    const key = `${Math.min(...ends)}-${Math.max(...ends)}`;
    expect(found[key], `seed ${seed}`).toBeUndefined();
    found[key] = [...corners.subarray(from, to)];
  });
  expect(found, `seed ${seed}`).toEqual(listByHand(indices));
});
