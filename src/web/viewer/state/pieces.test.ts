import { expect, it } from 'vitest';
import { labelPieces, reachOfPiece } from './pieces.ts';

/** Octahedra: centre and radius each. */
function octahedra(...balls: [number, number, number, number][]) {
  const positions: number[] = [];
  const indices: number[] = [];
  for (const [x, y, z, r] of balls) {
    const first = positions.length / 3;
    positions.push(x + r, y, z, x - r, y, z, x, y + r, z, x, y - r, z, x, y, z + r, x, y, z - r);
    for (const [a, b] of [
      [0, 2],
      [2, 1],
      [1, 3],
      [3, 0],
    ])
      indices.push(first + a, first + b, first + 4, first + b, first + a, first + 5);
  }
  return { positions: Float32Array.from(positions), indices: Uint32Array.from(indices) };
}

it('pieces that share no vertex have numbers of their own', () => {
  const { positions, indices } = octahedra([0, 0, 0, 1], [5, 0, 0, 2]);
  const { labels, count } = labelPieces(positions.length / 3, indices);
  expect(count).toBe(2);
  expect([...labels]).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
});

it('the piece around a place is the smallest whose box holds it, and is reached to its end', () => {
  const { positions, indices } = octahedra([0, 0, 0, 9], [1, 0, 0, 2]);
  expect(reachOfPiece([0.5, 0, 0], [1, 0, 0], positions, indices)).toBeCloseTo(2.5);
  expect(reachOfPiece([0.5, 0, 0], [-1, 0, 0], positions, indices)).toBeCloseTo(1.5);
  expect(reachOfPiece([-5, 0, 0], [-1, 0, 0], positions, indices)).toBeCloseTo(4);
  expect(reachOfPiece([20, 0, 0], [1, 0, 0], positions, indices)).toBe(0);
});
